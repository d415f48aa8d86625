import type { ShellPolicy } from '../../src/policy/policy.ts'
import { judgeBy, rule } from '../../src/policy/shell/judging.fixture.ts'

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
}

/**
 * Processor time of one verdict in milliseconds, so that a busy machine does not count: of a typical command, and of the
 * worst inputs that are allowed.
 */
export async function benchVerdict(): Promise<object> {
  const rounds = 2000
  for (let round = 0; round < 300; round += 1) await judgeBy(rules, typical)
  const typicalMs =
    (await processorMs(async () => {
      for (let round = 0; round < rounds; round += 1) await judgeBy(rules, typical)
    })) / rounds
  const slow: Record<string, number> = {}
  for (const [name, script] of Object.entries(worst)) {
    const text = script.slice(0, 8192)
    for (let round = 0; round < 2; round += 1) await judgeBy(rules, text)
    slow[name] = rounded(await processorMs(async () => void (await judgeBy(rules, text))))
  }
  return {
    typicalMs: rounded(typicalMs),
    typicalTargetMs: 1,
    worstMs: Math.max(...Object.values(slow)),
    worstTargetMs: 50,
    eachMs: slow,
  }
}

function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000
}

async function processorMs(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
