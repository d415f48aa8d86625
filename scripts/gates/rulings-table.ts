import type { NamedTest, Ruling } from './rulings.ts'

/** The input of the table. */
export interface RulingsTable {
  readonly rulings: readonly Ruling[]
  readonly tests: readonly NamedTest[]
  /** rulings that must have a test */
  readonly due: ReadonlySet<string>
  /** those that may still have no test */
  readonly notYet: ReadonlySet<string>
}

/**
 * The problems: tests that name no ruling, rulings that need a test and have none, and exceptions
 * for rulings that have one.
 */
export function rulingProblems({ rulings, tests, due, notYet }: RulingsTable): string[] {
  const ids = new Set(rulings.map(({ id }) => id))
  const named = new Set(tests.flatMap((test) => test.rulings))
  const strange = tests.flatMap((test) =>
    test.rulings
      .filter((id) => !ids.has(id))
      .map((id) => `${test.file}: there is no ${id} ("${test.title}")`),
  )
  const untested = [...due]
    .filter((id) => !named.has(id) && !notYet.has(id))
    .map((id) => `no test names ${id}`)
  const idle = [...notYet]
    .filter((id) => named.has(id))
    .map((id) => `${id} has a test by now: take it off the list notYet`)
  return [...strange, ...untested, ...idle]
}

/** The page docs/rulings.md: each ruling of the design with the tests that name it. */
export function rulingsPage({ rulings, tests }: RulingsTable): string {
  const pages = [...new Set(rulings.map(({ id }) => id.split(' ')[0] ?? ''))]
  const parts = pages.map((page) => {
    const rows = rulings
      .filter(({ id }) => id.startsWith(`${page} `))
      .flatMap((ruling) => rowOf(ruling, tests))
    return `## [${page}](design/${page})\n\n| | ruling | tests |\n|---|---|---|\n${rows.join('\n')}\n`
  })
  return `${head}\n${parts.join('\n')}`
}

const head = `# Rulings and their tests

Each numbered ruling of the design that says how a call is judged, asked about, decided and carried
out, with the tests that name it. This page is generated from the \`// Rules:\` lines above the tests:
\`node scripts/run.mjs scripts/gates/check-rulings.ts --write\` writes it, and \`npm run verify\` fails when a
ruling has lost its last test.
`

function rowOf({ id, gist }: Ruling, tests: readonly NamedTest[]): string[] {
  const namingTests = tests.filter((test) => test.rulings.includes(id))
  if (namingTests.length === 0) return []
  const byFile = Map.groupBy(namingTests, (test) => test.file)
  const cells = [...byFile].map(
    ([file, named]) =>
      `[${nameOf(file)}](../${file}): ${named.map(({ title }) => cell(title)).join('; ')}`,
  )
  return [`| ${id.split(' ')[1] ?? ''} | ${cell(gist)} | ${cells.join('<br>')} |`]
}

function nameOf(file: string): string {
  return file.replace(/^.*\//, '').replace(/(\.it)?\.test\.ts$/, '')
}

/** Escapes the text of a cell, so that a title contains no markup. */
function cell(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(/[\\|<>[\]*_`]/g, String.raw`\$&`)
}
