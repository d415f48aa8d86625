import { oddWords, plainConstructs } from './plain-constructs.ts'
import type { Choices } from './seeded.ts'

/** Programs that the differential's rules pre-approve; on the recording side each is a stub. */
export const programs = [
  'cat',
  'echo',
  'grep',
  'head',
  'ls',
  'printf',
  'sort',
  'wc',
  'tool',
  'true',
  'test',
  'git log',
  'git status',
] as const

const words = [
  'a',
  'b.md',
  'src/x',
  'fail',
  '-n',
  '-l',
  '--',
  '5',
  '..',
  'x=1',
  'a:b',
  'HEAD~2',
  'ü',
  '!',
  '}',
  '{',
  ']',
  '[',
  'if',
  'then',
  'done',
]
const quotedTexts = [
  'a b',
  '',
  '*',
  '$x',
  '`x`',
  '~',
  '#',
  ';',
  '|',
  '&&',
  '>',
  "it's",
  'say "x"',
  '\\',
  '!x',
  '{a,b}',
  'a\nb',
  'a\tb',
  '$(evil)',
  '-n',
  '  ',
  '\\n',
  '$',
  '$$',
  '%s',
]
const rarely = [
  '$(evil)',
  '`evil`',
  '<(evil)',
  '$HOME',
  '"$OTHER"',
  '${HOME}',
  '"${HOME:-x}"',
  '~',
  '~/x',
  '*',
  'b.?d',
  '[ab]',
  '{a,b}',
  '{1..3}',
  '$((1+1))',
  "$'a\\x41'",
  '$"a"',
  'a=~',
  '#x',
  '&',
  '(evil)',
  '"$@"',
  '$1',
  '"$?"',
  '\\\n',
  'a\\\nb',
  '"a\\\nb"',
  "'a\\\nb'",
  '"$(evil)"',
  '"`evil`"',
  '\r',
  'a\u00a0b',
  '@(a|b)',
  '!(a)',
  '%',
  '^',
  ',',
]

/** One script, mostly of what can be pre-approved, with something odd in some. */
export function plainScript(choices: Choices): string {
  const count = 1 + choices.number(3)
  let script = choices.percent(4) ? '! ' : ''
  for (let index = 0; index < count; index += 1) {
    if (index > 0) script += choices.one(joins)
    script += simpleCommand(choices)
  }
  if (choices.percent(12)) script = choices.one(plainConstructs)(script)
  if (choices.percent(5))
    script += choices.one([' # evil', ';', '\n', ' &', ' ;; evil', ' )', '\n#evil\n'])
  return script
}

const joins = [
  '; ',
  ' && ',
  ' || ',
  ' | ',
  '\n',
  ';',
  '&&',
  '|',
  ' |& ',
  ' & ',
  '\n\n',
  ' ;\n',
  '|\n',
  ' && ! ',
  '; ! ',
  '| ! ',
]

function simpleCommand(choices: Choices): string {
  const parts = [named(choices, choices.one(programs))]
  const count = choices.number(4)
  for (let index = 0; index < count; index += 1) parts.push(word(choices))
  if (choices.percent(12)) parts.splice(choices.number(parts.length + 1), 0, choices.one(redirects))
  if (choices.percent(2))
    parts.unshift(choices.one(['A=b', 'time', '!', 'env', 'exec', 'command', 'if', '{', '(']))
  return parts.join(choices.percent(8) ? choices.one(['  ', '\t', ' \\\n']) : ' ')
}

const redirects = [
  '2>/dev/null',
  '>/dev/null',
  '2>&1',
  '>&2',
  '&>/dev/null',
  '</dev/null',
  '2>"/dev/null"',
  '>> /dev/null',
  '1>&2',
  '>|/dev/null',
  '> file',
  '2>&-',
  '>&file',
  '<> /dev/null',
  '3>/dev/null',
  '{x}>/dev/null',
  '<<<x',
  '2>/dev/nul\\l',
  '>&/dev/null',
  '2>/dev/null2',
]

/** The name as it is, or in another spelling of the same. */
function named(choices: Choices, name: string): string {
  if (choices.percent(90)) return name
  const at = choices.number(name.length)
  const before = name.slice(0, at)
  const rest = name.slice(at)
  return choices.one([
    `${before}""${rest}`,
    `${before}''${rest}`,
    `${before}\\${rest}`,
    `"${name.split(' ')[0] ?? ''}"${name.includes(' ') ? ` ${name.split(' ')[1] ?? ''}` : ''}`,
  ])
}

function word(choices: Choices): string {
  const kind = choices.number(100)
  if (kind < 40) return choices.one(words)
  if (kind < 60) return `'${choices.one(quotedTexts).replaceAll("'", '')}'`
  if (kind < 78) return inDoubleQuotes(choices, choices.one(quotedTexts))
  if (kind < 84)
    return choices.one(['"$HOME"', '"$PATH"x', 'a"$PWD"', '"a $HOME b"', '"$TMPDIR/x"'])
  if (kind < 92) return word(choices) + word(choices)
  if (kind < 95)
    return [...choices.one(quotedTexts)].map((one) => (one === '\n' ? 'n' : `\\${one}`)).join('')
  return choices.one(choices.percent(50) ? rarely : oddWords)
}

function inDoubleQuotes(choices: Choices, text: string): string {
  return `"${choices.percent(85) ? text.replace(/[$`"\\]/g, '\\$&') : text}"`
}
