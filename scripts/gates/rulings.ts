/** One numbered rule of a design page. `id` is the name in tests, such as `product.md 14`. */
export interface Ruling {
  readonly id: string
  /** its first words, for a table */
  readonly gist: string
}

/** A test, or a group of tests, that names the rulings it shows. */
export interface NamedTest {
  readonly file: string
  readonly title: string
  readonly rulings: readonly string[]
}

/** The numbered rules of a design page, in its order: lines that begin with `14. `. */
export function readRulings(page: string, text: string): Ruling[] {
  return [...text.matchAll(/^(?<number>\d+)\. (?<rule>.+)$/gm)].map(({ groups }) => ({
    id: `${page} ${groups?.['number'] ?? ''}`,
    gist: gistOf(groups?.['rule'] ?? ''),
  }))
}

function gistOf(rule: string): string {
  const plain = rule.replaceAll(/[*`]/g, '')
  const sentence = /^.{30,}?(?=[.:;](?: |$))/.exec(plain)?.[0] ?? plain
  return sentence.length <= 100 ? sentence : `${sentence.slice(0, 100).replace(/[ ,]+\S*$/, '')}…`
}

const tag = /^(?<indent> *)\/\/ Rules: (?<list>.+)$/
const opening = /^(?<indent> *)(?<kind>describe|test|it)(?:\.\w+)*\(/

/**
 * The tests of a file with a line `// Rules: product.md 10, 14; security.md 13` above their `test`
 * or `describe`. Such a line above anything else, or without a name, is reported as a sentence.
 */
export function readNamedTests(
  file: string,
  text: string,
): { readonly tests: NamedTest[]; readonly problems: string[] } {
  const tests: NamedTest[] = []
  const problems: string[] = []
  const lines = text.split('\n')
  for (const [index, line] of lines.entries()) {
    const list = tag.exec(line)?.groups?.['list']
    if (list === undefined) continue
    const title = titleAt(lines, index + 1)
    const rulings = namesIn(list)
    if (title === null) problems.push(`${file}:${index + 1}: this tag stands above no test`)
    else if (rulings === null) {
      problems.push(`${file}:${index + 1}: write \`// Rules: product.md 10, 14; security.md 13\``)
    } else tests.push({ file, title, rulings })
  }
  return { tests, problems }
}

/**
 * `product.md 10, 14; security.md 13` as ids, or `null` when it is written in another way. Pages
 * without numbers may be named too.
 */
function namesIn(list: string): string[] | null {
  const names: string[] = []
  for (const part of list.split('; ')) {
    const match = /^(?<page>[a-z]+\.md) (?<numbers>\d+(?:, \d+)*)$/.exec(part)?.groups
    if (match === undefined && /^workers-and-policy\.md\b/.test(part)) continue
    if (match === undefined) return null
    const numbers = match['numbers']?.split(', ') ?? []
    names.push(...numbers.map((number) => `${match['page'] ?? ''} ${number}`))
  }
  return names
}

/** The title of the test that begins on a line, after those of its groups; `null` if none does. */
function titleAt(lines: readonly string[], index: number): string | null {
  const groups = opening.exec(lines[index] ?? '')?.groups
  const ownTitle = titleFrom(lines, index)
  if (groups === undefined || ownTitle === null) return null
  let indent = groups['indent']?.length ?? 0
  const titles = [ownTitle]
  for (let above = index - 1; above >= 0 && indent > 0; above -= 1) {
    const around = opening.exec(lines[above] ?? '')?.groups
    if (around?.['kind'] !== 'describe' || (around['indent']?.length ?? 0) >= indent) continue
    indent = around['indent']?.length ?? 0
    titles.unshift(titleFrom(lines, above) ?? '')
  }
  return titles.join(' › ')
}

/** The first string after the opening parenthesis; for `test.each`, that of the second call. */
function titleFrom(lines: readonly string[], index: number): string | null {
  const text = lines.slice(index, index + 80).join('\n')
  const isEach = /^ *(?:describe|test|it)\.(?:each|for|runIf|skipIf)\(/.test(text)
  const string = /\((?:\s*)(?<quote>['"`])(?<title>(?:\\.|(?!\k<quote>).)*)\k<quote>/s
  const match = isEach
    ? new RegExp(`\\)${string.source}`, 's').exec(text)
    : new RegExp(`^ *(?:describe|test|it)(?:\\.\\w+)*${string.source}`, 's').exec(text)
  return match?.groups?.['title']?.replaceAll(/\\(.)/g, '$1') ?? null
}
