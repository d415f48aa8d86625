import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkout, readDocument } from './documents.ts'

/** Where a package is pinned, and the test that runs it. `pin` absent: in package-lock.json. */
interface Tried {
  readonly package: string
  readonly pin?: string
  readonly test: string
}

const agents = 'test/slow/agents'
const claude = {
  package: '@anthropic-ai/claude-code',
  pin: `${agents}/claude-code-sessions.ts`,
  test: `${agents}/claude-code.test.ts`,
}
const realAgent = (name: string, test: string): Tried => ({
  package: name,
  pin: `${agents}/real-agents.ts`,
  test: `${agents}/${test}`,
})
const codex = realAgent('@openai/codex', 'codex.test.ts')
const gemini = realAgent('@google/gemini-cli', 'gemini-cli.test.ts')
const copilot = realAgent('@github/copilot', 'copilot-cli.test.ts')
const pinnedBy = (name: string, file: string): Tried => ({ package: name, pin: file, test: file })
const openCode = ['opencode', 'acp'].map((file) =>
  pinnedBy('opencode-ai', `${agents}/${file}.test.ts`),
)
const official = (name: string): Tried =>
  pinnedBy(`@modelcontextprotocol/${name}`, `${agents}/mcp-conformance.test.ts`)
const adapter = (name: string, file: string): Tried => ({
  package: name,
  test: `test/packages/adapters/${file}.test.ts`,
})
const inPython = (name: string): Tried =>
  pinnedBy(name, 'test/slow/runtimes/python-adapters.test.ts')
const overMcp = (name: string): Tried => ({
  package: `@modelcontextprotocol/${name}`,
  test: 'test/faults/mcp-gateway.test.ts',
})

/** The clients by the names that the pages have for them. */
const tried: Readonly<Record<string, readonly Tried[]>> = {
  'Claude Code': [claude],
  '`claude-code`': [claude],
  '(`claude-agent-acp`': [
    pinnedBy('@agentclientprotocol/claude-agent-acp', `${agents}/acp.test.ts`),
  ],
  Codex: [codex],
  '`codex`': [codex],
  'Gemini CLI': [gemini],
  '`gemini-cli`': [gemini],
  'Copilot CLI': [copilot],
  '`copilot-cli`': [copilot],
  OpenCode: openCode,
  '`opencode`': openCode,
  '`@modelcontextprotocol/client`': [overMcp('client')],
  '`@modelcontextprotocol/sdk`': [overMcp('sdk')],
  '`@modelcontextprotocol/inspector`': [official('inspector')],
  '`@modelcontextprotocol/conformance`': [official('conformance')],
  '`ai`': [adapter('ai', 'ai-sdk')],
  '`@openai/agents-core`': [adapter('@openai/agents-core', 'openai-agents')],
  '`langchain`': [adapter('langchain', 'langchain'), inPython('langchain')],
  '`@mastra/core`': [pinnedBy('@mastra/core', 'test/slow/mastra.test.ts')],
  '`@temporalio/*`': [adapter('@temporalio/workflow', 'temporal')],
  '`openai-agents`': [inPython('openai-agents')],
  '`pydantic-ai-slim`': [inPython('pydantic-ai-slim')],
  '`@ag-ui/client`': [{ package: '@ag-ui/client', test: 'test/api/runs/ag-ui.test.ts' }],
}

const escapeText = (text: string): string => text.replaceAll(/[^\w\s]/g, String.raw`\$&`)
const read = (path: string): Promise<string> => readFile(join(checkout, path), 'utf8')
const lock = JSON.parse(await read('package-lock.json')) as {
  readonly packages: Readonly<Record<string, { readonly version: string }>>
}

/** The version of the package that its test runs. */
async function versionOf({ package: name, pin }: Tried): Promise<string | undefined> {
  if (pin === undefined) return lock.packages[`node_modules/${name}`]?.version
  const pattern = new RegExp(`'${escapeText(name)}(?:==|@|': ')([\\w.-]+)'`)
  return pattern.exec(await read(pin))?.[1]
}

const pages = ['clients.md', 'mcp-gateway.md', 'frameworks.md'].map((name) => `docs/${name}`)
const text = (await Promise.all(pages.map(readDocument))).map(({ prose }) => prose).join('\n')
const versions = (name: string): readonly string[] => {
  const before = /^\W/.test(name) ? '' : '(?<![`\\w])'
  const pattern = new RegExp(`${before}${escapeText(name)} (\\d+\\.\\d+\\.\\d+(?:-[\\w.]+)?)`, 'g')
  return [...text.matchAll(pattern)].map(([, version = '']) => version)
}

test.each(Object.entries(tried))(
  '%s is documented at the version that a test runs, and at no other',
  async (name, runs) => {
    const run = await Promise.all(runs.map(versionOf))
    expect(new Set(versions(name))).toEqual(new Set(run))
    for (const { test: file } of runs) expect(existsSync(join(checkout, file)), file).toBe(true)
  },
)

test('every client that the table says works is run by a test', () => {
  const tables = text.split('\n\n').flatMap((block) => {
    const rows = block.split('\n').filter((line) => line.startsWith('|'))
    const [head = ''] = rows
    return /\| works \||\| tested with \|/.test(head) ? [rows.slice(2)] : []
  })
  const known = Object.keys(tried)
  const unknown = tables.flat().filter((row) => !known.some((name) => row.includes(`${name} `)))
  // It is in no registry. The other has no client: the tests send its messages.
  const others = [
    /^\| `cursor` .* not run with it \|/,
    /^\| tasks of the revision .*, in messages \|/,
  ]
  expect(tables).toHaveLength(3)
  expect(unknown.filter((row) => !others.some((other) => other.test(row)))).toEqual([])
})
