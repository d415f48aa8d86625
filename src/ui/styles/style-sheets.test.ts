import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { expect, test } from 'vitest'

const ui = join(import.meta.dirname, '..')
const files = readdirSync(ui, { recursive: true, encoding: 'utf8' }).map((name) => join(ui, name))
const sources = new Map(
  files
    .filter((file) => /\.tsx?$/.test(file) && !file.includes('.test.'))
    .map((file) => [file, readFileSync(file, 'utf8')]),
)
const sheets = new Map(
  files
    .filter((file) => file.endsWith('.css'))
    .map((file) => [file, new Set(classesOf(readFileSync(file, 'utf8')))]),
)
const defined = new Set([...sheets.values()].flatMap((names) => [...names]))

function classesOf(css: string): string[] {
  return [...css.replaceAll(/\/\*.*?\*\//gs, '').matchAll(/\.([a-z][a-z0-9-]*)/g)].map(
    ([, name = '']) => name,
  )
}

/** The classes that a component writes as literals; computed parts of names are left out. */
function classesIn(source: string): string[] {
  const literals = [
    ...source.matchAll(/className=(?:"([^"]*)"|\{`([^`]*)`\}|\{([^}`]*)\})/g),
  ].flatMap(
    ([, plain, template, expression = '']) =>
      plain ??
      template?.replaceAll(/\S*\$\{[^}]*\}\S*/g, ' ') ??
      [...expression.matchAll(/'([^']*)'/g)].map(([, literal = '']) => literal),
  )
  return literals.flatMap((literal) => literal.split(/\s+/)).filter((name) => defined.has(name))
}

function importsOf(file: string, lazy: boolean): string[] {
  const pattern = lazy ? /(?:from|import)\s*\(?\s*'(\.[^']+)'/g : /(?:from|import)\s*'(\.[^']+)'/g
  return [...(sources.get(file) ?? '').matchAll(pattern)].map(([, path = '']) =>
    normalize(join(dirname(file), path)),
  )
}

/** A module and all that it loads; with `lazy`, also what it loads later. */
function graphOf(root: string, lazy: boolean): ReadonlySet<string> {
  const reached = new Set<string>()
  const open = [root]
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (reached.has(file)) continue
    reached.add(file)
    open.push(...importsOf(file, lazy))
  }
  return reached
}

const first = graphOf(join(ui, 'main.tsx'), false)
const pages = [...sources.keys()].filter((file) => file.endsWith('-page.tsx') && !first.has(file))

test.for(pages.map((page) => [relative(ui, page), page] as const))(
  'page %s loads the style sheet of each class that its parts use, whatever page was open before',
  ([, page]) => {
    const graph = graphOf(page, true)
    const loaded = [...first, ...graph].flatMap((file) => [...(sheets.get(file) ?? [])])
    const missing = [...graph].flatMap((file) =>
      classesIn(sources.get(file) ?? '')
        .filter((name) => !loaded.includes(name))
        .map((name) => `${relative(ui, file)}: ${name}`),
    )
    expect(missing).toEqual([])
  },
)
