import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, realpathSync } from 'node:fs'
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { hostname, tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AIMessage, HumanMessage, type BaseMessage } from '@langchain/core/messages'
import { generateText, stepCountIs } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { beforeAll, describe, expect, test } from 'vitest'
import { closeServer, listenHere } from '../harness/listen.ts'
import { deployTool } from '../../examples/programs/ai-sdk-tool.ts'
import { createShop } from '../../examples/programs/express-route.ts'
import { deployAgent } from '../../examples/programs/langgraph.ts'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import type { RequestItem } from '#api/schemas/requests/request-item.ts'
import {
  AlreadyTakenError,
  BlockedError,
  createClient,
  DeniedError,
  ExpiredError,
  type Client,
} from '#program-client'
import { actsOutput, actsProgram, openPackedProject } from '../packages/packed.ts'
import type { ContractDesk } from './contract-desk.ts'

const command = fileURLToPath(new URL('../../bin/countersign', import.meta.url))

/** What programs of somebody else's do with a service that runs, of Alan's; Grace decides. */
export function testPrograms(desk: () => ContractDesk): void {
  let client: Client
  let environment: Record<string, string>

  beforeAll(async () => {
    const scopes = ['requests:write', 'requests:read']
    const made = await (await desk().as('alan')).post('/v1/keys', { name: 'robot', scopes })
    const apiKey = String(made.body['key'])
    const { url } = desk().installation
    client = createClient({ url, apiKey })
    environment = { COUNTERSIGN_URL: url, COUNTERSIGN_API_KEY: apiKey }
  })

  const pending = (tool: string): Promise<RequestDetail> => desk().pendingOfProgram(tool)
  const decide = (request: RequestDetail, decision: string): Promise<void> =>
    desk().decideForProgram(request, decision)

  describe('a program that gates its calls', () => {
    test('runs what was approved once, whatever of the service died meanwhile, and never again', async () => {
      const call = { tool: 'deploy', input: { version: '1.4.2' }, externalId: 'deploy-1' }
      const ran: unknown[] = []
      const gateCall = client.gate(call, ({ input }) => {
        ran.push(input)
        return 'rolled out'
      })
      const request = await pending('deploy')
      expect(request).toMatchObject({ risk: 'high', external: { owner: { name: 'Alan' } } })
      const { installation } = desk()
      for (const name of ['temporal-worker', 'api'] as const) {
        await installation.untilBack(name, await installation.killNine(name))
      }
      await decide(request, 'approve')
      expect(await gateCall).toBe('rolled out')
      const again = client.resume(call, () => ran.push('twice'))
      await expect(again).rejects.toMatchObject({
        name: 'AlreadyTakenError',
        outcome: 'succeeded',
      })
      expect(ran).toEqual([{ version: '1.4.2' }])
      expect((await desk().request(request.id)).execution).toMatchObject({ state: 'succeeded' })
    })

    test('that died with the permit in its hand leaves it unknown: resuming runs nothing', async () => {
      const call = { tool: 'migrate', input: { to: 7 }, externalId: 'migrate-7' }
      const taking = client.take(call)
      await decide(await pending('migrate'), 'approve')
      const { requestId } = await taking
      const ran: string[] = []
      const refused = await client.resume(call, () => ran.push('x')).catch((error) => error)
      expect(refused).toBeInstanceOf(AlreadyTakenError)
      expect(refused).toMatchObject({ outcome: null, requestId })
      expect(ran).toEqual([])
      expect((await desk().request(requestId)).execution.state).toBe('started')
    })

    test('is told by whom and why it was denied, and that nobody decided in time', async () => {
      const never = (): never => {
        throw new Error('this must not run')
      }
      const denied = client.gate({ tool: 'erase', input: {} }, never).catch((error) => error)
      const late = client
        .gate({ tool: 'erase_later', input: {}, queue: 'quick' }, never)
        .catch((error) => error)
      await decide(await pending('erase'), 'deny')
      expect(await denied).toBeInstanceOf(DeniedError)
      expect(await denied).toMatchObject({ decidedBy: 'Grace', reason: 'looked at it' })
      // Its queue gives it two seconds; the workflow that waits for it says when they are over.
      expect(await late).toBeInstanceOf(ExpiredError)
    })

    test('goes by the policy of the worker that it names: at once, not at all, or as shown', async () => {
      const input = { path: 'scratch/new.txt', content: 'x\n' }
      const worker = 'to-plain'
      const wrote: unknown[] = []
      const write = ({ input: allowed }: { input: unknown }) => wrote.push(allowed)
      await client.gate({ tool: 'write_file', input, worker }, write)
      expect(wrote).toEqual([{ ...input, encoding: 'utf8' }])
      const blocked = client.gate(
        { tool: 'delete_file', input: { path: 'notes/old.md' }, worker },
        write,
      )
      await expect(blocked).rejects.toBeInstanceOf(BlockedError)
      const gateCall = client.gate(
        { tool: 'write_file', input: { path: 'notes/new.md', content: 'Hello\n' }, worker },
        write,
      )
      const request = await pending('write_file')
      expect(request).toMatchObject({ risk: 'medium', rule: { id: 'zone:notes.write' } })
      expect(request.presentation.content).toContain('Hello')
      await decide(request, 'approve')
      await gateCall
      expect(wrote).toHaveLength(2)
    })
  })

  describe('a program with the packed client', () => {
    // In a checkout, an older Node may stand behind the pinned one.
    const found = (process.env['PATH'] ?? '')
      .split(delimiter)
      .map((folder) => join(folder, 'node'))
      .filter((file) => !file.includes('node_modules') && existsSync(file))
    const runtimes = [...new Set([process.execPath, ...found.map((file) => realpathSync(file))])]

    test.each(runtimes)('asks, waits, takes and tells, under %s', async (runtime) => {
      await using project = await openPackedProject()
      const required = `const { createClient, CountersignError } = require('@countersign/client')`
      const file = await project.write('acts.cjs', required + actsProgram)
      const acts = run(runtime, [file], { ...environment, EXTERNAL_ID: randomUUID() })
      const request = await pending('release')
      expect(request.external).toMatchObject({ owner: { name: 'Alan' } })
      await decide(request, 'approve')
      await decide(await pending('release'), 'deny')
      expect(await acts).toMatchObject({ code: 0, stderr: '' })
      expect(JSON.parse((await acts).stdout)).toEqual(actsOutput)
      expect((await desk().request(request.id)).execution.state).toBe('succeeded')
    })
  })

  describe('the examples for other programs', () => {
    const input = { service: 'shop', version: '2.0' }
    const deployed: unknown[] = []
    const deploy = async (what: unknown): Promise<string> => {
      deployed.push(what)
      return 'rolled out'
    }

    test("the AI SDK's tool runs what was approved, with the model's id of the call", async () => {
      const content = [
        { type: 'tool-call', toolCallId: 'c1', toolName: 'deploy', input: JSON.stringify(input) },
      ] as const
      const usage = {
        inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 1, text: 1, reasoning: 0 },
      }
      const model = new MockLanguageModelV4({
        doGenerate: {
          content: [...content],
          finishReason: { unified: 'tool-calls', raw: 'tool_calls' },
          usage,
          warnings: [],
        },
      })
      const generating = generateText({
        model,
        prompt: 'Deploy shop 2.0',
        tools: { deploy: deployTool(client, deploy) },
        stopWhen: stepCountIs(1),
      })
      const request = await pending('deploy')
      expect(request).toMatchObject({ externalId: 'deploy:c1', input })
      expect(request.title).toBe('deploy: “Deploy shop 2.0”')
      await decide(request, 'approve')
      const { toolResults } = await generating
      expect(toolResults).toMatchObject([{ toolCallId: 'c1', output: 'rolled out' }])
      expect(deployed.splice(0)).toEqual([input])
    })

    test("LangGraph's agent is told of a denial as the tool's answer", async () => {
      const history: BaseMessage[] = []
      const agent = deployAgent(
        client,
        async (messages) => {
          history.push(...messages)
          const last = messages.at(-1)
          if (last?.getType() === 'tool') return new AIMessage('Understood.')
          const call = { type: 'tool_call' as const, id: 'lg-1', name: 'deploy', args: input }
          return new AIMessage({ content: '', tool_calls: [call] })
        },
        deploy,
      )
      const running = agent.invoke({ messages: [new HumanMessage('Deploy shop 2.0')] })
      const request = await pending('deploy')
      expect(request.externalId).toBe('deploy:lg-1')
      await decide(request, 'deny')
      await running
      expect(history.map(({ content }) => content)).toContain(
        'Not done. Grace denied this: looked at it',
      )
      expect(deployed).toEqual([])
    })

    test('the Express route answers when somebody has decided', async () => {
      const erased: string[] = []
      const server = createServer(createShop(client, async (id) => void erased.push(id)))
      const answering = fetch(`http://127.0.0.1:${await listenHere(server)}/customers/42`, {
        method: 'DELETE',
      })
      await decide(await pending('erase_customer'), 'approve')
      expect((await answering).status).toBe(204)
      expect(erased).toEqual(['42'])
      await closeServer(server)
    })
  })

  describe("Claude Code's hook", () => {
    let calls = 0
    /** As Claude Code's hooks reference documents them. */
    const event = (tool_name: string, tool_input: unknown, more = {}) => ({
      session_id: 'abc123',
      transcript_path: '/home/ada/.claude/projects/shop/abc123.jsonl',
      cwd: desk().installation.folder,
      permission_mode: 'default',
      hook_event_name: 'PreToolUse',
      tool_name,
      tool_input,
      tool_use_id: `toolu_${++calls}`,
      ...more,
    })
    async function answer(stdin: unknown, more: Record<string, string> = {}): Promise<Reply> {
      const text = typeof stdin === 'string' ? stdin : JSON.stringify(stdin)
      const { folder } = desk().installation
      const args = ['hook', 'claude-code', '--worker', 'to-plain', '--project', folder]
      const ran = await run(process.execPath, [command, ...args], { ...environment, ...more }, text)
      expect(ran).toMatchObject({ code: 0, stderr: '' })
      return ran.stdout === '' ? {} : JSON.parse(ran.stdout).hookSpecificOutput
    }

    test('allows, denies and waits by the policy of a worker, and reports what became of it', async () => {
      const { folder } = desk().installation
      const file_path = join(folder, 'scratch', 'hook.txt')
      const write = event('Write', { file_path, content: 'x\n' })
      expect(await answer(write)).toMatchObject({
        hookEventName: 'PreToolUse',
        permissionDecision: 'allow',
      })
      const after = { ...write, hook_event_name: 'PostToolUse', tool_response: { success: true } }
      expect(await answer(after)).toEqual({})
      const alan = await desk().as('alan')
      const name = `claude-code:abc123:${write.tool_use_id}`
      const { body } = await alan.get(`/v1/requests?q=${name}`)
      expect((body['items'] as RequestItem[])[0]).toMatchObject({
        tool: 'write_file',
        execution: { state: 'succeeded' },
        external: { verdict: 'preApproved', worker: 'to-plain' },
      })
      const frozen = { file_path: join(folder, 'frozen/a.txt'), content: 'x\n' }
      expect(await answer(event('Write', frozen))).toMatchObject({
        permissionDecision: 'deny',
        permissionDecisionReason: expect.stringContaining('code freeze until Monday'),
      })
      const file = join(folder, 'README.md')
      await writeFile(file, 'an old line\n')
      const edited = { file_path: file, old_string: 'old', new_string: 'new' }
      const waiting = answer(event('Edit', edited))
      // It can read the key of this host's service, so the file of the workspace is shown.
      const edit = await pending('edit_file')
      expect(edit.title).toBe('Edit README.md (+1 −1)')
      expect(edit.external?.origin).toMatchObject({
        program: 'Claude Code',
        host: hostname(),
        folder: await realpath(folder),
        files: [{ path: 'README.md', content: 'an old line\n' }],
        proved: true,
      })
      await decide(edit, 'deny')
      expect(await waiting).toMatchObject({ permissionDecision: 'deny' })
      const fetching = answer(event('WebFetch', { url: 'https://example.com', prompt: 'read' }))
      const request = await pending('WebFetch')
      expect(request).toMatchObject({ risk: 'high', metadata: { program: 'Claude Code' } })
      await decide(request, 'deny')
      expect(await fetching).toMatchObject({
        permissionDecision: 'deny',
        permissionDecisionReason: 'Countersign: Grace denied this: looked at it',
      })
    })

    test('as countersign-hook leaves what nobody decided in time, and the same call goes on waiting', async () => {
      await using project = await openPackedProject(['hook'])
      const { folder, url } = desk().installation
      const program = join(project.folder, 'node_modules/.bin/countersign-hook')
      const ask = async (stdin: unknown, wait: string): Promise<Reply> => {
        const args = ['claude-code', '--project', folder, '--wait', wait]
        const variables = { ...environment, COUNTERSIGN_URL: url, XDG_STATE_HOME: project.folder }
        const ran = await run(program, args, variables, JSON.stringify(stdin))
        expect(ran).toMatchObject({ code: 0, stderr: '' })
        return ran.stdout === '' ? {} : JSON.parse(ran.stdout).hookSpecificOutput
      }
      const fetching = { url: 'https://example.com/late', prompt: 'read' }
      const late = await ask(event('WebFetch', fetching), '4')
      const request = await pending('WebFetch')
      expect(late).toMatchObject({
        permissionDecision: 'deny',
        permissionDecisionReason: expect.stringContaining(`waits as #${request.number}; ask again`),
      })
      await decide(request, 'approve')
      const again = event('WebFetch', fetching)
      expect(await ask(again, '60')).toMatchObject({
        permissionDecision: 'allow',
        permissionDecisionReason: `Countersign allowed this (request ${request.id}).`,
      })
      await ask({ ...again, hook_event_name: 'PostToolUse', tool_response: {} }, '60')
      expect((await desk().request(request.id)).execution.state).toBe('succeeded')
      // A permit is for one call: the next one, though the same, is asked about.
      const next = ask(event('WebFetch', fetching), '60')
      const another = await pending('WebFetch')
      expect(another.id).not.toBe(request.id)
      await decide(another, 'deny')
      expect(await next).toMatchObject({ permissionDecision: 'deny' })
    })

    // Rules: product.md 46
    test('from another checkout shows what it reports, and nothing of the files of the service', async () => {
      const { folder } = desk().installation
      await writeFile(join(folder, 'README.md'), 'on the disk of the service\n')
      const theirs = await mkdtemp(join(tmpdir(), 'countersign laptop '))
      await writeFile(join(theirs, 'README.md'), 'on the laptop\n')
      const edited = { file_path: join(theirs, 'README.md'), old_string: 'on', new_string: 'off' }
      const args = ['hook', 'claude-code', '--worker', 'to-plain', '--project', theirs]
      const { url } = desk().installation
      const waiting = run(
        process.execPath,
        [command, ...args],
        { ...environment, COUNTERSIGN_URL: url },
        JSON.stringify(event('Edit', edited, { cwd: theirs })),
      )
      const edit = await pending('edit_file')
      expect(edit.title).toBe('Edit README.md (+1 −1), as reported')
      expect(edit.presentation.content).toContain('-on the laptop\n+off the laptop\n')
      expect(edit.external?.origin).toMatchObject({ folder: await realpath(theirs), proved: false })
      expect(JSON.stringify(edit)).not.toContain('on the disk of the service')
      await decide(edit, 'deny')
      expect((await waiting).stdout).toContain('Grace denied this')
      await rm(theirs, { recursive: true })
    })

    test.each([
      ['what is no JSON', 'nonsense', {}],
      ['an event without a tool', { hook_event_name: 'PreToolUse', session_id: 'x' }, {}],
      ['a file outside of the workspace', { file_path: '/etc/passwd' }, {}],
      ['a command of a worker that has no shell', { command: 'rm -rf /' }, {}],
      ['a service that is not there', { command: 'ls' }, { COUNTERSIGN_URL: 'http://127.0.0.1:9' }],
      ['a key that is none', { command: 'ls' }, { COUNTERSIGN_API_KEY: 'cs_nothing' }],
    ])('denies with a sentence: %s', async (_, subject, more) => {
      const isInput = typeof subject === 'object' && !('hook_event_name' in subject)
      const tool = isInput && 'command' in subject ? 'Bash' : 'Read'
      const reply = await answer(isInput ? event(tool, subject) : subject, more)
      expect(reply).toMatchObject({
        permissionDecision: 'deny',
        permissionDecisionReason: expect.stringMatching(/^Countersign.{10,}/),
      })
    })
  })
}

interface Reply {
  readonly hookEventName?: string
  readonly permissionDecision?: string
  readonly permissionDecisionReason?: string
}

function run(
  program: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  stdin = '',
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { env: { ...process.env, ...environment } })
    const output = { stdout: '', stderr: '' }
    child.stdout.on('data', (chunk: Buffer) => (output.stdout += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (output.stderr += chunk.toString()))
    child.on('error', () => resolve({ code: 127, ...output }))
    child.on('close', (code) => resolve({ code, ...output }))
    child.stdin.end(stdin)
  })
}
