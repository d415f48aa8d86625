import {
  behindWrappers,
  inNumbers,
  inQuotes,
  octal,
  scriptConstructs,
  unknowableConstructs,
  vectorConstructs,
} from './blocked-constructs.ts'
import type { Choices } from './seeded.ts'

/** A script that is made to run a blocked command, and whether the text spells it out. */
export interface BlockedScript {
  readonly script: string
  /** no part of it depends on anything but the text */
  readonly literal: boolean
}

const commands = [
  ['git', 'push'],
  ['git', 'push', 'origin', 'main'],
  ['git', '-C', '.', 'push'],
  ['git', '--no-pager', '-c', 'a.b=c', 'push', '--force'],
  ['git', 'reset', '--hard'],
  ['git', 'reset', 'HEAD', '--hard'],
  ['rm', '-rf', 'x'],
  ['rm', '-r', '-f', 'x'],
  ['rm', 'x', '-fr'],
  ['/usr/bin/git', 'push'],
] as const

/** Hides one of the blocked commands in up to three ways on top of each other. */
export function blockedScript(choices: Choices): BlockedScript {
  let literal = true
  const vector = choices.one(commands)
  let script = ''
  if (choices.percent(18)) {
    literal = choices.percent(80)
    script = choices.one(literal ? vectorConstructs : unknowableConstructs)(vector.join(' '))
    return { script: layered(choices, script), literal }
  }
  script = choices.percent(12)
    ? bracedVector(vector)
    : vector
        .map((word) => {
          if (choices.percent(55)) return word
          const hidden = hiddenWord(choices, word)
          literal &&= hidden.literal
          return hidden.text
        })
        .join(choices.percent(80) ? ' ' : choices.one(['\t', ' \\\n', '  ', ' \\\n  ']))
  if (choices.percent(20)) script = choices.one(vectorWraps)(script)
  else if (choices.percent(12)) script = behindWrappers(choices, script)
  return { script: layered(choices, script), literal }
}

function layered(choices: Choices, script: string): string {
  const layers = choices.number(3)
  let wrapped = script
  for (let layer = 0; layer < layers; layer += 1) {
    wrapped = choices.one(choices.percent(50) ? wraps : scriptConstructs)(wrapped)
  }
  return choices.percent(15) ? `ls; ${wrapped}\nls` : wrapped
}

const bracedVector = (vector: readonly string[]): string => `{${vector.join(',')}}`

function hiddenWord(choices: Choices, word: string): { text: string; literal: boolean } {
  const at = 1 + choices.number(Math.max(1, word.length - 1))
  const before = word.slice(0, at)
  const rest = word.slice(at)
  if (choices.percent(6)) {
    const text = choices.one([
      `"$(printf '${octal(word)}')"`,
      `$(echo ${[...word].toReversed().join('')} | rev)`,
      `$(cat <<<${word})`,
    ])
    return { text, literal: false }
  }
  const text = choices.one([
    `"${word}"`,
    `'${word}'`,
    `${before}""${rest}`,
    `${before}''${rest}`,
    `${before}\\${rest}`,
    `${before}"${rest}"`,
    `'${before}'"${rest}"`,
    `${before}$'${rest}'`,
    inNumbers(word),
    `$'${octal(word)}'`,
    `"${before}"${inNumbers(rest)}`,
    `$"${word}"`,
    `\${x:-${word}}`,
    `\${x-${word}}`,
    `"\${x:=${word}}"`,
    `\${HOME:+${word}}`,
    `${before}\${x}${rest}`,
    `${before}$x${''}""${rest}`,
    `${before}$@${rest}`,
    `${before}$()${rest}`,
    `${before}\`\`${rest}`,
    `$(echo ${word})`,
    `\`echo ${word}\``,
    `$(printf %s ${word})`,
    `${before}\\\n${rest}`,
    `"${before}\\\n${rest}"`,
    `{${word},}`,
    `${before}{${rest},}`,
  ])
  return { text: word.startsWith('-') && text.startsWith('{') ? word : text, literal: true }
}

const wraps: readonly ((script: string) => string)[] = [
  (script) => `${script} | cat`,
  (script) => `true && ${script}`,
  (script) => `false || ${script}`,
  (script) => `! ${script}`,
  (script) => `(${script}\n)`,
  (script) => `{ ${script}\n}`,
  (script) => `if true; then ${script}\nfi`,
  (script) => `for i in 1; do ${script}\ndone`,
  (script) => `while ${script}\ndo break; done`,
  (script) => `case a in a) ${script}\n;; esac`,
  (script) => `f() { ${script}\n}; f`,
  (script) => `echo $(${script}\n)`,
  (script) => `echo "$(${script}\n)"`,
  (script) => `cat <(${script}\n)`,
  (script) => `echo "\${x:-$(${script}\n)}"`,
  (script) => `x=$(${script}\n)`,
  (script) => `eval ${inQuotes(script)}`,
  (script) => `bash -c ${inQuotes(script)}`,
  (script) => `sh -c ${inQuotes(script)}`,
  (script) => `bash -o posix -c ${inQuotes(script)}`,
  (script) => `env bash -c ${inQuotes(script)}`,
  (script) => `timeout 5 sh -c ${inQuotes(script)}`,
  (script) => `bash <<'E'\n${script}\nE`,
  (script) => `bash <<< ${inQuotes(script)}`,
  (script) => `echo ${inQuotes(script)} | bash`,
  (script) => `printf '%s\\n' ${inQuotes(script)} | sh`,
  (script) => `source <(echo ${inQuotes(script)})`,
  (script) => `. /dev/stdin <<< ${inQuotes(script)}`,
  (script) => `trap ${inQuotes(script)} EXIT`,
  (script) => `cat <<E\n$(${script}\n)\nE`,
  (script) => `[[ -n $(${script}\n) ]]`,
  (script) => `ls > /dev/null; ${script}`,
  (script) => `coproc { (${script}\n) </dev/null\n}; wait`,
  (script) => `x=${inQuotes(script)}; eval "$x"`,
  (script) => `x=${inQuotes(script)}; bash -c "$x"`,
  (script) => `time ${script}`,
  (script) => `A=b ${script}`,
  (script) => `>/dev/null ${script}`,
]

/** Wrappers that take a vector: only in front of a command that is not wrapped yet. */
const vectorWraps: readonly ((vector: string) => string)[] = [
  ...[
    'env',
    'env A=b',
    'env -u X A=b',
    'env -C .',
    'command',
    'command -p',
    'builtin command',
    'exec',
    'exec -a x',
    'nohup',
    'nice',
    'nice -n 5',
    'timeout 5',
    'timeout -k 1 5',
    'setsid -w',
    'stdbuf -o0',
    'time -p',
    'xargs',
    'xargs -n 9 env',
    'xargs -I{} env',
    'bash -c \'"$@"\' x',
    'f() { "$@"; }; f',
    'set --',
  ].map(
    (wrapper) => (vector: string) => `${wrapper} ${vector}${wrapper === 'set --' ? '; "$@"' : ''}`,
  ),
  (vector) => `find . -maxdepth 0 -exec ${vector} \\;`,
  (vector) => `echo ${vector} | xargs env`,
  (vector) => `env -S ${inQuotes(vector)}`,
  (vector) => `a=(${vector}); "\${a[@]}"`,
]
