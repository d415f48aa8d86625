import type { ShellPolicy } from '#policy/worker-definition.ts'
import { judgeBy, rule } from '#policy/shell/judging.fixture.ts'

/** Rules of a worker that has many. */
const rules: ShellPolicy['rules'] = [
  ...['git log', 'git status', 'git diff', 'ls', 'cat', 'head', 'grep', 'find', 'sort', 'wc'].map(
    (name) => rule(name, 'preApproved'),
  ),
  ...['git push', 'git reset --hard', 'rm -rf', 'sudo', 'npm publish'].map((name) =>
    rule(name, 'blocked'),
  ),
  ...Array.from({ length: 35 }, (_, index) => rule(`tool${index} run`, 'ask')),
]

/** Rules of a worker that has very many, most for the program of the scripts below. */
const manyRules: ShellPolicy['rules'] = [
  ...rules,
  ...Array.from({ length: 150 }, (_, index) =>
    rule(`git sub${index} -a --bc${index} -d`, index % 2 === 0 ? 'ask' : 'blocked'),
  ),
]

const typical = 'git log --oneline -n 20 && git status --short | head -n 5'

/** Scripts of at most 8 KiB that are made to take long. */
const worst: Readonly<Record<string, string>> = {
  'many commands': 'git log; '.repeat(900),
  'many wrappers': 'sudo '.repeat(1600),
  'one wrapper with many words': `xargs ${'git '.repeat(2000)}`,
  'flags that never come': `bash -c '${'git reset '.repeat(800)}'`,
  'many ways to read a word': `git ${'${x:-a}'.repeat(1100)}`,
  braces: `git ${'{a,b}'.repeat(1600)}`,
  'nested substitutions': '$('.repeat(2700) + ')'.repeat(2700),
  'nested quotes': `bash -c "${'bash -c \\"git '.repeat(500)}`,
  'a parse error': `${'git ( '.repeat(1300)}"`,
  'odd characters': 'g\u200bit '.repeat(1100),
  'assigned values': 'a=git; $a '.repeat(780),
  'functions and arrays': 'f(){ "$@";};f git x;a=(git x);'.repeat(260),
  'input of xargs': 'echo git|xargs git;'.repeat(420),
  'aliases of git': `git ${'-c alias.a=push '.repeat(500)}`,
  'texts of eval': `eval 'git a; bash -c "git b x"' $x ${'y '.repeat(55)};`.repeat(49),
  'braces that never close': `git ${'{'.repeat(8000)}`,
  'values of values': `${'a=g; b=h; c=i; '.repeat(16)}${'$a$b$c '.repeat(1200)}`,
  'file patterns': `env ${'*g'.repeat(4000)}`,
  'words of file patterns': `env ${'g?t* '.repeat(1600)}`,
  'many functions': Array.from(
    { length: 100 },
    (_, at) => `f${at}(){ $1 "$@" $*;};f${at} git ${at}`,
  ).join(';'),
  'texts for a shell': `echo 'git a; git b; $x ${'z '.repeat(60)}'|sh\n`.repeat(24),
}

/**
 * Measures the processor time of one verdict in milliseconds, which the load of the machine does
 * not change: of a typical command, and of the worst accepted inputs.
 */
export async function benchVerdict(): Promise<object> {
  const rounds = 2000
  for (let round = 0; round < 300; round += 1) await judgeBy(rules, typical)
  const typicalMs =
    (await processorMs(async () => {
      for (let round = 0; round < rounds; round += 1) await judgeBy(rules, typical)
    })) / rounds
  const slow = await eachOfWorst(rules)
  const slowOfMany = await eachOfWorst(manyRules)
  return {
    typicalMs: roundToMicroseconds(typicalMs),
    typicalTargetMs: 1,
    worstMs: Math.max(...Object.values(slow), ...Object.values(slowOfMany)),
    worstTargetMs: 50,
    eachMs: slow,
    eachOf200RulesMs: slowOfMany,
  }
}

async function eachOfWorst(own: ShellPolicy['rules']): Promise<Record<string, number>> {
  const slow: Record<string, number> = {}
  for (const [name, script] of Object.entries(worst)) {
    const text = script.slice(0, 8192)
    for (let round = 0; round < 2; round += 1) await judgeBy(own, text)
    const times: number[] = []
    for (let round = 0; round < 5; round += 1) {
      times.push(await processorMs(async () => void (await judgeBy(own, text))))
    }
    slow[name] = roundToMicroseconds(times.toSorted((one, other) => one - other)[2] ?? 0)
  }
  return slow
}

function roundToMicroseconds(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000
}

async function processorMs(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
