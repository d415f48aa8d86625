import { parseFile } from '@swc/core'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

type Node = Readonly<Record<string, unknown>>

/** The transports: each adds its credentials and has its own errors. */
const transports: ReadonlySet<string> = new Set([
  'ui/api/call-api.ts',
  'ui/service-worker/show-push.ts',
  // The dashboard's own files.
  'ui/service-worker/offline-shell.ts',
  'cli/service/fetch-service.ts',
  // Only checks that some server answers.
  'cli/hook/answer-hook.ts',
  // Messages of the protocol of MCP, which are no operations.
  'cli/mcp/forward-messages.ts',
])

/** The file with the addresses of operations. */
const table = 'client/operations.ts'

/** Functions whose answers have the type of a route. */
const calls = /(^|[.])(callApi|call|json)$/

/** The number of checked calls, and a sentence for each that does not use the typed client. */
export interface ApiCallReport {
  calls: number
  problems: string[]
}

/** Judges every module, but tests, of these folders below `root`. */
export async function checkApiCalls(
  root: string,
  folders: readonly string[],
): Promise<ApiCallReport> {
  const report: ApiCallReport = { calls: 0, problems: [] }
  for (const folder of folders) {
    const names = await readdir(join(root, folder), { recursive: true })
    const modules = names.filter(
      (name) => /[.]tsx?$/.test(name) && !/[.](test|fixture)[.]/.test(name),
    )
    for (const name of modules.toSorted()) {
      const file = `${folder}/${name}`
      const tree = await parseFile(join(root, file), {
        syntax: 'typescript',
        tsx: file.endsWith('.tsx'),
        target: 'es2024',
      })
      for (const item of tree.body) judge(item as unknown as Node, file, report)
    }
  }
  return report
}

function judge(node: Node, file: string, report: ApiCallReport): void {
  const problem = (sentence: string) => report.problems.push(`${file}: ${sentence}`)
  const type = node['type']
  if (type === 'CallExpression') {
    const name = calleeText(node['callee'])
    if (calls.test(name)) {
      report.calls += 1
      if (node['typeArguments'] != null)
        problem(`${name} takes its types from the route, not from here`)
    }
    if (name === 'fetch' && !transports.has(file)) problem('fetches beside the client')
  }
  if (type === 'TsAsExpression' || type === 'TsTypeAssertion') {
    const name = calledBelow(node['expression'])
    if (name !== null) problem(`casts what ${name} answers`)
  }
  const text =
    type === 'StringLiteral' ? node['value'] : type === 'TemplateElement' ? node['raw'] : ''
  if (file !== table && String(text).startsWith('/v1/')) {
    problem(`names the address ${String(text)} instead of an operation`)
  }
  for (const child of Object.values(node).flat()) if (isNode(child)) judge(child, file, report)
}

/**
 * The call whose answer an expression is, through `await`, parentheses, other casts and handlers of
 * a promise.
 */
function calledBelow(expression: unknown): string | null {
  if (!isNode(expression)) return null
  switch (expression['type']) {
    case 'AwaitExpression':
      return calledBelow(expression['argument'])
    case 'ParenthesisExpression':
    case 'TsAsExpression':
    case 'TsTypeAssertion':
    case 'TsNonNullExpression':
      return calledBelow(expression['expression'])
    case 'CallExpression': {
      const name = calleeText(expression['callee'])
      if (calls.test(name)) return name
      const callee = expression['callee']
      return isNode(callee) && callee['type'] === 'MemberExpression'
        ? calledBelow(callee['object'])
        : null
    }
    default:
      return null
  }
}

/** The text of a callee, such as `service.call`; for other expressions only the last name. */
function calleeText(callee: unknown): string {
  if (!isNode(callee)) return ''
  if (callee['type'] === 'Identifier') return String(callee['value'])
  if (callee['type'] !== 'MemberExpression') return ''
  return `${calleeText(callee['object'])}.${calleeText(callee['property'])}`
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null
}
