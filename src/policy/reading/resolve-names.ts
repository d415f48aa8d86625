import {
  isAlias,
  isMap,
  isPair,
  isScalar,
  visit,
  type Document,
  type Node,
  type YAMLMap,
} from 'yaml'

/** The most aliases that a file may have, far above what people write. */
const maxAliases = 100

/** The node that each alias refers to. */
export type Aliases = ReadonlyMap<unknown, unknown>

/** Reports a problem of a node. */
type ReportProblem = (node: unknown, problem: string, remedy: string) => void

/**
 * Finds the node of each alias of a document. Reports every key that a mapping has twice (`1` and
 * `"1"` are read as one key), and every alias without an anchor before it. Walks the document once,
 * whatever it contains; `null` after a report. `report` takes the offset in the text.
 */
export function resolveNames(
  document: Document,
  report: (offset: number, problem: string, remedy: string) => void,
): Aliases | null {
  const anchors = new Map<string, unknown>()
  const aliases = new Map<unknown, unknown>()
  let isRight = true
  const wrong: ReportProblem = (node, problem, remedy) => {
    isRight = false
    report((node as Node).range?.[0] ?? 0, problem, remedy)
  }
  visit(document, (_key, node) => {
    if (isAlias(node)) {
      const { source } = node
      aliases.set(node, anchors.get(source) ?? null)
      if (!anchors.has(source)) {
        const remedy = 'name an anchor, or quote a text that begins with "*"'
        wrong(node, `*${source} has no anchor &${source} before it`, remedy)
      } else if (aliases.size === maxAliases + 1) {
        wrong(node, `it has more than ${maxAliases} aliases`, 'write the values out')
      }
      return
    }
    // An empty file, and a key without its value in a flow mapping, hold nothing at all.
    if (node === null) return
    const { anchor } = node as { readonly anchor?: string }
    if (anchor !== undefined) anchors.set(anchor, node)
    if (isMap(node)) findRepeatedKeys(node, wrong)
  })
  return isRight ? aliases : null
}

function findRepeatedKeys(map: YAMLMap, wrong: ReportProblem): void {
  const names = new Set<string>()
  for (const pair of map.items) {
    if (!isPair(pair) || !isScalar(pair.key)) continue
    const name = String(pair.key.value)
    if (names.has(name)) wrong(pair.key, `the key "${name}" is there twice`, 'give each key once')
    names.add(name)
  }
}
