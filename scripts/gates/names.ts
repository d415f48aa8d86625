import { parseSync } from 'oxc-parser'

/**
 * Participles that say what happened to a value and not what it is. A variable or parameter is
 * called by a noun: `request` and not `asked`, `names` and not `known`. `most` is forbidden too: a
 * maximum is `max` with a noun (`maxBytes`).
 */
const forbiddenNames: ReadonlySet<string> = new Set([
  'asked',
  'attempted',
  'begun',
  'chosen',
  'counted',
  'displayed',
  'drawn',
  'ended',
  'found',
  'given',
  'gone',
  'happening',
  'heard',
  'held',
  'judged',
  'kept',
  'known',
  'lacking',
  'listed',
  'looked',
  'made',
  'masked',
  'meant',
  'most',
  'nagged',
  'noted',
  'offered',
  'opened',
  'owed',
  'painted',
  'parsed',
  'refused',
  'said',
  'shown',
  'signed',
  'sought',
  'spoken',
  'standing',
  'stored',
  'storied',
  'summarised',
  'sworn',
  'telling',
  'told',
  'tried',
  'typed',
  'unanswered',
  'viewed',
  'wanted',
  'worn',
])

/** Nouns that look like participles. A type or a function may have such a name. */
const nouns: ReadonlySet<string> = new Set([
  'Beginning',
  'Finding',
  'Reading',
  'Routing',
  'Ruling',
  'Sibling',
  'Spelling',
  'Tampering',
  'Warning',
  'Wrapping',
  'during',
  'embed',
  'everything',
  'nothing',
  'ping',
  'red',
])
/** Participles of one word. A component of the dashboard may have such a name. */
const participles = {
  type: /^([A-Z][a-z]+(ed|ing)|Chosen|Found|Given|Held|Kept|Known|Shown|Told|Unknown|Written)$/,
  function: /^([a-z]+(ed|ing)|chosen|found|given|held|kept|known|shown|told|unknown|written)$/,
}

/** Files whose types have no member that is a field of the API, a column or a key of YAML. */
const freeMembers = /^(src\/ui|test\/harness)\//

/**
 * The variables and parameters of a source text with a forbidden name, and its types and functions
 * whose name is only a participle (`Judged` and not `JudgedCall`), as `file:line: name`. Members of
 * types and objects may have one: they are fields of the API, columns and the like. The dashboard
 * and the harness of the tests are no contract, so that members of their types are judged as well.
 */
export function participleNames(file: string, text: string): string[] {
  const { program, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file} does not parse: ${errors[0]?.message}`)
  return nodesIn(program)
    .flatMap(declaredNames)
    .filter(({ name, kind }) => {
      if (kind === 'member') return freeMembers.test(file) && forbiddenNames.has(name)
      return kind === undefined
        ? forbiddenNames.has(name)
        : participles[kind].test(name) && !nouns.has(name)
    })
    .toSorted((one, other) => one.start - other.start)
    .map(({ name, start }) => `${file}:${text.slice(0, start).split('\n').length}: ${name}`)
}

type Node = Record<string, unknown>

interface DeclaredName {
  readonly name: string
  readonly start: number
  /** absent: of a variable or parameter */
  readonly kind?: 'type' | 'function' | 'member'
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

const methodKinds: ReadonlySet<string> = new Set(['TSMethodSignature', 'MethodDefinition'])

function isFunction(value: unknown): boolean {
  return /^(Arrow)?FunctionExpression$/.test(typeOf(value))
}

/** Whether a member is a method, or a property with the type of a function. */
function isCalled(node: Node): boolean {
  if (node['type'] !== 'TSPropertySignature') return node['kind'] !== 'get'
  const { typeAnnotation }: Node = { ...(node['typeAnnotation'] as object | null) }
  return typeOf(typeAnnotation) === 'TSFunctionType'
}

function typeOf(value: unknown): string {
  return typeof value === 'object' && value !== null && 'type' in value ? String(value.type) : ''
}

/** The names that a node itself declares, and no node below it. */
function declaredNames(node: Node): DeclaredName[] {
  if (node['type'] === 'VariableDeclarator') {
    const kinds = isFunction(node['init']) ? (['function', undefined] as const) : [undefined]
    return namesIn(node['id']).flatMap((name) =>
      kinds.map((kind) => (kind === undefined ? name : { ...name, kind })),
    )
  }
  if (node['type'] === 'CatchClause') return namesIn(node['param'])
  if (node['type'] === 'TSPropertySignature' || methodKinds.has(String(node['type']))) {
    const kind = isCalled(node) ? 'function' : 'member'
    return namesIn(node['key']).map((name) => ({ ...name, kind }))
  }
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
