import {
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type Range,
  type Scalar,
  visit,
  type YAMLMap,
} from 'yaml'
import { splitFrontMatter } from '../worker/front-matter.ts'

/**
 * The text of a worker file in which one rule that asks is changed to pre-approved, and nothing
 * else. The word of the rule is replaced; if a zone asks because it does not mention the operation,
 * the word is added. `null`: no such word does that, for instance when the default of a tool asks,
 * or one place of the file stands for several (a YAML alias). Pure.
 * @example relaxRule(text, 'zone:notes.write')
 */
export function relaxRule(text: string, ruleId: string): string | null {
  const parts = splitFrontMatter(text)
  if (parts === null) return null
  const lines = new LineCounter()
  const document = parseDocument(parts.yaml, { lineCounter: lines })
  let hasAlias = false
  visit(document, { Alias: () => void (hasAlias = true) })
  if (document.errors.length > 0 || hasAlias) return null
  const word = wordOf(document.contents, ruleId)
  const addition = word === null ? additionOf(document.contents, ruleId) : null
  const [start, end] = (word ?? addition?.before)?.range ?? []
  if (start === undefined || end === undefined) return null
  const { line, col } = lines.linePos(start)
  const before =
    text
      .split('\n')
      .slice(0, line - 1)
      .join('\n').length + (line > 1 ? 1 : 0)
  const at = before + col - 1
  if (addition !== null) {
    const lineEnd = text.includes('\r\n') ? '\r\n' : '\n'
    const between = addition.isFlow ? ', ' : `${lineEnd}${' '.repeat(col - 1)}`
    return `${text.slice(0, at)}${addition.words}${between}${text.slice(at)}`
  }
  const length = end - start
  if (word?.value !== 'ask' || !/^["']?ask["']?$/.test(text.slice(at, at + length))) return null
  return `${text.slice(0, at)}preApproved${text.slice(at + length)}`
}

interface Addition {
  readonly words: string
  /** the key in front of which the words go */
  readonly before: { readonly range?: Range | null | undefined }
  readonly isFlow: boolean
}

/** The word that a zone lacks for an operation that asks by default. */
function additionOf(root: unknown, ruleId: string): Addition | null {
  const [, name = '', operation = ''] = /^zone:(.+)\.(write|delete|share)$/s.exec(ruleId) ?? []
  const zone = itemWith(at(root, 'zones'), 'name', name)
  if (!isMap(zone)) return null
  const words = `${operation}: preApproved`
  if (!zone.has('approval')) return beforeKey(zone, -1, `approval: { ${words} }`)
  const approval = at(zone, 'approval')
  return isMap(approval) && !approval.has(operation) ? beforeKey(approval, 0, words) : null
}

function beforeKey(map: YAMLMap, index: number, words: string): Addition | null {
  const key = map.items.at(index)?.key
  return isNode(key) ? { words, before: key, isFlow: map.flow === true } : null
}

/** The scalar with a rule's approval in the front matter. */
function wordOf(root: unknown, ruleId: string): Scalar | null {
  const [, kind = '', name = ''] = /^(zone|shell|tool):(.+)$/s.exec(ruleId) ?? []
  if (kind === 'zone') {
    const dot = name.lastIndexOf('.')
    const zone = itemWith(at(root, 'zones'), 'name', name.slice(0, dot))
    return consentAt(at(zone, 'approval'), name.slice(dot + 1))
  }
  if (kind === 'shell') {
    return consentAt(itemWith(at(at(root, 'shell'), 'rules'), 'pattern', name), 'approval')
  }
  if (kind !== 'tool') return null
  const [, server = '', tool = ''] = /^mcp__(.+?)__(.+)$/s.exec(name) ?? []
  const tools = at(root, 'tools')
  const own = consentAt(at(tools, name), 'approval') ?? consentAt(tools, name)
  return own ?? consentAt(at(at(at(root, 'mcpServers'), server), 'tools'), tool)
}

/** `ask`, or the same in `{ approval: ask, reason: … }`. */
function consentAt(map: unknown, key: string): Scalar | null {
  const value = at(map, key)
  const word = isMap(value) ? at(value, 'approval') : value
  return isScalar(word) ? word : null
}

function at(map: unknown, key: string): unknown {
  return isMap(map) ? map.get(key, true) : null
}

/** The one item of a list with this field value; none where several match. */
function itemWith(list: unknown, field: string, value: string): unknown {
  if (!isSeq(list)) return null
  const matching = list.items.filter((item) => {
    const member = at(item, field)
    return isScalar(member) && String(member.value).trim().split(/\s+/).join(' ') === value
  })
  return matching.length === 1 ? matching[0] : null
}
