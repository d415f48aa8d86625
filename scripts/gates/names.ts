import { parseSync } from 'oxc-parser'

/**
 * Participles that say what happened to a value and not what it is. A variable or parameter is
 * called by a noun: `request` and not `asked`, `names` and not `known`.
 */
export const forbiddenNames: ReadonlySet<string> = new Set([
  'asked',
  'attempted',
  'ended',
  'given',
  'heard',
  'held',
  'judged',
  'kept',
  'known',
  'lacking',
  'listed',
  'looked',
  'meant',
  'owed',
  'said',
  'shown',
  'spoken',
  'sworn',
  'telling',
  'told',
  'tried',
  'wanted',
])

/** Words of the form of a participle that are nouns: a type may be called by one. */
const nouns: ReadonlySet<string> = new Set([
  'Beginning',
  'Finding',
  'Routing',
  'Sibling',
  'Spelling',
  'Warning',
  'Wrapping',
])
/** One word. A component of the dashboard may be called so. */
const participles = {
  type: /^([A-Z][a-z]+(ed|ing)|Chosen|Found|Given|Held|Kept|Known|Shown|Told|Unknown|Written)$/,
  function: /^([a-z]+(ed|ing)|chosen|found|given|held|kept|known|shown|told|unknown|written)$/,
}

/**
 * The variables and parameters of a source text that have a forbidden name, and its types and
 * functions that are called by a participle alone (`Judged` and not `JudgedCall`), as
 * `file:line: name`. Members of types and objects may have one: they are fields of the API,
 * columns and the like.
 */
export function participleNames(file: string, text: string): string[] {
  const { program, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file} does not parse: ${errors[0]?.message}`)
  return nodesIn(program)
    .flatMap(declaredNames)
    .filter(({ name, kind }) =>
      kind === undefined
        ? forbiddenNames.has(name)
        : participles[kind].test(name) && !nouns.has(name),
    )
    .toSorted((one, other) => one.start - other.start)
    .map(({ name, start }) => `${file}:${text.slice(0, start).split('\n').length}: ${name}`)
}

type Node = Record<string, unknown>

interface DeclaredName {
  readonly name: string
  readonly start: number
  /** absent: of a variable or parameter */
  readonly kind?: 'type' | 'function'
}

function nodesIn(value: unknown): Node[] {
  if (typeof value !== 'object' || value === null) return []
  const below = Object.values(value).flatMap(nodesIn)
  return 'type' in value ? [{ ...value }, ...below] : below
}

const typeKinds: ReadonlySet<string> = new Set([
  'ClassDeclaration',
  'TSInterfaceDeclaration',
  'TSTypeAliasDeclaration',
])

/** The names that a node itself declares, and no node below it. */
function declaredNames(node: Node): DeclaredName[] {
  if (node['type'] === 'VariableDeclarator') return namesIn(node['id'])
  if (node['type'] === 'CatchClause') return namesIn(node['param'])
  if (typeKinds.has(String(node['type'])))
    return namesIn(node['id']).map((name) => ({ ...name, kind: 'type' }))
  const { params } = node
  const parameters = Array.isArray(params) ? params.flatMap(namesIn) : []
  if (node['type'] !== 'FunctionDeclaration') return parameters
  const names = namesIn(node['id']).map((name): DeclaredName => ({ ...name, kind: 'function' }))
  return [...names, ...parameters]
}

/** The names in a pattern: of destructured members, elements and the rest, too. */
function namesIn(pattern: unknown): DeclaredName[] {
  if (typeof pattern !== 'object' || pattern === null || !('type' in pattern)) return []
  const { elements, properties, type, name, start, value, left, argument, parameter }: Node = {
    ...pattern,
  }
  if (type === 'Identifier') return [{ name: String(name), start: Number(start) }]
  if (Array.isArray(properties)) return properties.flatMap(namesIn)
  if (Array.isArray(elements)) return elements.flatMap(namesIn)
  return [value, left, argument, parameter].flatMap(namesIn)
}
