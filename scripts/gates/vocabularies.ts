import { parse } from '@swc/core'
import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A list of fewer words is a choice, which two files may offer by chance. */
const minWords = 3

/** Files that may repeat a vocabulary: tests write what they expect, and migrations are history. */
const mayRepeat = /[.](test|fixture)[.]tsx?$|^src\/store\/migrations\//

/** Types and methods that take names of properties or columns, which are no vocabulary. */
const takeNames = new Set(['Pick', 'Omit', 'select', 'returning', 'groupBy', 'orderBy'])

/**
 * A place with a list of words: a union of string literals, or an array of them or of `z.literal`s.
 */
interface Place {
  /** `src/domain/verdict.ts:12` */
  readonly at: string
  readonly file: string
  readonly words: readonly string[]
  /** a named list of `src/domain`, which everything else refers to */
  readonly isSource: boolean
}

/** How many lists `src/domain` has, and a sentence for each vocabulary written twice. */
export interface VocabularyReport {
  lists: number
  problems: string[]
}

const sources = '{src,bench}/**/*.{ts,tsx}'

/**
 * Compares every union and list of words in `src` and `bench` below `root` with every other, in any
 * order. A vocabulary is one list in `src/domain`, from which its type, schemas and choices derive.
 * A list that is in one file only may be outside of `src/domain`.
 */
export async function checkVocabularies(root: string): Promise<VocabularyReport> {
  const files: string[] = []
  for await (const name of glob(sources, { cwd: root })) files.push(name)
  const read = files.filter((name) => !mayRepeat.test(name)).toSorted()
  const places = (await Promise.all(read.map((file) => placesOf(root, file)))).flat()
  const alike = Map.groupBy(places, ({ words }) => words.toSorted().join(' | '))
  return {
    lists: places.filter(({ isSource }) => isSource).length,
    problems: [...alike.values()].flatMap(problemsOf),
  }
}

function problemsOf(places: readonly Place[]): string[] {
  const source = places.find(({ isSource }) => isSource)
  const words = places[0]?.words.join(', ')
  if (source !== undefined) {
    return places
      .filter((place) => place !== source)
      .map(({ at }) => `${at} lists what ${source.at} lists: ${words}`)
  }
  if (new Set(places.map(({ file }) => file)).size < 2) return []
  return [`${places.map(({ at }) => at).join(', ')}: src/domain has no list of ${words}`]
}

/** Two adjacent words in a union or list. A file without them is not parsed. */
const twoWords = /(['"])[^'"\n]*\1\)?\s*[|,]\s*(\w+\.literal\()?['"]/

type Node = Record<string, unknown>

async function placesOf(root: string, file: string): Promise<Place[]> {
  const text = await readFile(join(root, file), 'utf8')
  if (!twoWords.test(text)) return []
  const tree = await parse(text, {
    syntax: 'typescript',
    target: 'es2024',
    tsx: file.endsWith('x'),
  })
  const bytes = Buffer.from(text)
  const places: Place[] = []
  /** named lists so far, which later ones of the file may contain */
  const lists = new Map<string, readonly string[]>()
  const names = new Map<unknown, string>()
  visit(tree.body, (node) => {
    if (node['type'] === 'VariableDeclarator') {
      names.set(initialOf(node), (node['id'] as Node)['value'] as string)
    }
    const literals = wordsOf(node, lists)
    const words = new Set(literals)
    const name = names.get(node)
    if (name !== undefined) lists.set(name, literals)
    // A list with the same word twice is sample data, not a vocabulary.
    if (words.size < minWords || words.size < literals.length) return
    const before = bytes.subarray(0, (node['span'] as { start: number }).start - 1)
    const line = before.toString().split('\n').length
    const isSource = name !== undefined && file.startsWith('src/domain/')
    places.push({ at: `${file}:${line}`, file, words: [...words], isSource })
  })
  return places
}

/** What a variable begins as, without `as const` and `satisfies`. */
function initialOf(declarator: Node): unknown {
  let value = declarator['init'] as Node | null
  while (value?.['type'] === 'TsConstAssertion' || value?.['type'] === 'TsSatisfiesExpression') {
    value = value['expression'] as Node
  }
  return value
}

/**
 * The string literals of a union, whatever else is in it, or of an array that has nothing else;
 * empty for other nodes.
 */
function wordsOf(node: Node, lists: ReadonlyMap<string, readonly string[]>): readonly string[] {
  if (node['type'] === 'TsUnionType') {
    return (node['types'] as Node[]).flatMap((member) => wordOf(member['literal']) ?? [])
  }
  if (node['type'] !== 'ArrayExpression') return []
  const elements = node['elements'] as ({ spread: unknown; expression: Node } | null)[]
  const words = elements.map((element) => {
    const { spread = null, expression = {} } = element ?? {}
    if (spread !== null) return lists.get(expression['value'] as string) ?? null
    const argument = (expression['arguments'] as Node[] | undefined)?.[0]?.['expression']
    return calleeOf(expression) === 'literal' ? wordOf(argument) : wordOf(expression)
  })
  return words.includes(null) ? [] : words.flatMap((word) => word ?? [])
}

function wordOf(literal: unknown): string | null {
  const { type, value } = (literal ?? {}) as Node
  return type === 'StringLiteral' ? (value as string) : null
}

/** The last name of a callee or a type: `select` of `db.select(…)`, `Pick` of `Pick<…>`. */
function calleeOf(node: Node): string | undefined {
  const callee = (node['callee'] ?? node['typeName'] ?? node['expression']) as Node | undefined
  return ((callee?.['property'] as Node | undefined) ?? callee)?.['value'] as string | undefined
}

function visit(node: unknown, onNode: (node: Node) => void): void {
  if (Array.isArray(node)) for (const child of node) visit(child, onNode)
  else if (typeof node === 'object' && node !== null) {
    const { arguments: args, typeParams, typeArguments, ...others } = node as Node
    onNode(node as Node)
    visit(Object.values(others), onNode)
    if (!takeNames.has(calleeOf(node as Node) ?? ''))
      visit([args, typeParams, typeArguments], onNode)
  }
}
