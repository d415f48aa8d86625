import { expect, test } from 'vitest'
import { timesRun } from '#test/faults/gateway-world.ts'
import type { AgentWorld } from './agent-world.ts'
import type { ClaudeCodeSessions } from './claude-code-sessions.ts'

interface Desk {
  readonly agent: AgentWorld
  readonly sessions: ClaudeCodeSessions
}

const note = (text: string) => ({ name: 'mcp__notes__note', input: { text } })
const make = (folder: string) => {
  // It fails when it is made twice.
  const input = { command: `mkdir ${folder}`, description: 'Make it' }
  return { name: 'Bash', input }
}
/** Only a session at a terminal takes tasks. The environment may name another mode. */
const asTerminal = { CLAUDE_CODE_ENTRYPOINT: 'cli' }
const askFirst = ['--permission-mode', 'default']
/** Of a result with data Claude Code shows its model the data alone. */
const resultOf = (text: string): string => JSON.stringify(JSON.stringify({ text })).slice(1, -1)

/** Registers what Claude Code guarantees over MCP, with a world that is there by then. */
export function guaranteesOverMcp(desk: () => Desk): void {
  const runs = (text: string) => timesRun(desk().agent.world, 'notes', `note ${text}`)
  const work = async (...args: string[]): Promise<void> => {
    const { out } = await desk().sessions.print(...args)
    expect(JSON.parse(out)).toMatchObject({ result: 'Done.' })
  }

  test('over the MCP gateway the reason of a denial reaches the model, and a changed call is made as it was decided', async () => {
    const { agent, sessions } = desk()
    const gateway = await sessions.gateway()
    const call = async (text: string): Promise<void> => {
      agent.model.calls = [note(text)]
      await work(...gateway)
    }
    await call('no')
    expect(await agent.decide('deny')).toBe(200)
    await call('no')
    expect(agent.model.conversation).toContain('not on a Friday')
    await call('rash')
    await agent.revise('rash', 'wise')
    expect(await agent.decide('approve')).toBe(200)
    await call('rash')
    expect(agent.model.conversation).toContain('other arguments than yours')
    expect(await Promise.all(['no', 'rash', 'wise'].map(runs))).toEqual([0, 0, 1])
  })

  test('in prompt mode Claude Code takes tasks from the MCP gateway: an approved call is made without its calling again, and a denial reaches the model', async () => {
    const { agent, sessions } = desk()
    agent.model.calls = [note('as a task'), note('a denied task')]
    const session = await sessions.prompt([...askFirst, ...(await sessions.gateway())], asTerminal)
    // It continues while a task is open, so that both calls may wait.
    await agent.waiting('linus', 'as a task')
    const rows = await agent.world.sql('select by_task from gateway_call order by created_at desc')
    expect(rows[0]).toEqual({ by_task: true })
    expect(await agent.decide('approve', 'grace', 'as a task')).toBe(403)
    expect(await agent.decide('approve', 'linus', 'as a task')).toBe(200)
    await agent.until(async () => (await runs('as a task')) === 1)
    await agent.until(async () => agent.model.conversation.includes(resultOf('as a task')))
    expect(await agent.decide('deny', 'linus', 'a denied task')).toBe(200)
    await agent.until(async () => agent.model.conversation.includes('not on a Friday'))
    expect(agent.model.conversation).not.toContain('PENDING, not run')
    expect(await runs('a denied task')).toBe(0)
    await session.stop()
  })

  test('the permission tool makes a call wait for somebody else, as whose changed arguments it is made', async () => {
    const { agent, sessions } = desk()
    agent.model.calls = [make('hasty'), make('barred')]
    const ended = work(...(await sessions.permissionTool('60')))
    expect(await agent.decide('approve', 'grace')).toBe(403)
    await agent.revise('hasty', 'careful')
    expect(await agent.decide('approve')).toBe(200)
    expect(await agent.decide('deny', 'linus', 'barred')).toBe(200)
    await ended
    expect(agent.model.conversation).toContain('not on a Friday')
    const made = await Promise.all(['hasty', 'careful', 'barred'].map((name) => agent.has(name)))
    expect(made).toEqual([false, true, false])
  })

  // Rules: product.md 47
  test('a call waits through a restart of everything and a week at the gateway, as a task and by the permission tool, and runs once when somebody else has decided', async () => {
    const { agent, sessions } = desk()
    agent.model.calls = [note('by Claude Code')]
    await work(...(await sessions.gateway()))
    expect(agent.model.conversation).toContain('PENDING, not run')
    agent.model.calls = [note('by a task of a week')]
    const session = await sessions.prompt([...askFirst, ...(await sessions.gateway())], asTerminal)
    await agent.waiting('linus', 'by a task')
    await session.stop()
    agent.model.calls = [make('permitted'), make('refused-later')]
    await work(...(await sessions.permissionTool('2')))
    expect(agent.model.conversation).toContain('waits as #')
    await agent.passWeek()

    // The service has another port now. The agent waits by the waiting tool before it calls again.
    const { id } = await agent.waiting('linus', 'by Claude Code')
    agent.model.calls = [
      { name: 'mcp__notes__countersign_wait', input: { id: String(id) } },
      note('by Claude Code'),
    ]
    const waited = work(...(await sessions.gateway()))
    expect(await agent.decide('approve', 'grace', 'by Claude Code')).toBe(403)
    expect(await runs('by Claude Code')).toBe(0)
    expect(await agent.decide('approve', 'linus', 'by Claude Code')).toBe(200)
    await waited
    expect(agent.model.conversation).not.toContain('PENDING, not run')
    expect(agent.model.conversation).toContain(resultOf('by Claude Code'))

    expect(await agent.decide('approve', 'linus', 'by a task')).toBe(200)
    await agent.until(async () => (await runs('by a task of a week')) === 1)
    agent.model.calls = [note('by a task of a week')]
    await work(...(await sessions.gateway()))
    expect(agent.model.conversation).toContain(resultOf('by a task of a week'))

    expect(await agent.decide('approve', 'linus', 'permitted')).toBe(200)
    expect(await agent.decide('deny', 'linus', 'refused-later')).toBe(200)
    agent.model.calls = [make('permitted'), make('refused-later')]
    await work(...(await sessions.permissionTool('2')))
    expect([await agent.has('permitted'), await agent.has('refused-later')]).toEqual([true, false])
    expect(agent.model.conversation).toContain('not on a Friday')
    expect(agent.model.conversation).not.toContain('waits as #')
    expect(await runs('by Claude Code')).toBe(1)
    expect(await runs('by a task of a week')).toBe(1)
  })
}
