import { randomInt } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testSandbox } from '#tools/commands/commands.fixture.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { faultProject } from './fault-project.ts'
import { FaultWorld } from './fault-world.ts'
import { processesNaming } from './processes-naming.ts'

const patience = 360_000
/**
 * Seconds that nothing else on this machine sleeps for: how the processes of a command are known
 * from outside.
 */
const seconds = { lost: randomInt(1_000_000, 4_000_000), again: randomInt(4_000_000, 8_000_000) }
type Name = keyof typeof seconds

const zones = '  - { name: notes, root: ./notes, mode: rw, approval: { read: preApproved } }'

/**
 * Records that it begins, prints, starts a process that outlives its shell's session, and waits for
 * a file to end.
 */
function builder(name: Name): Record<string, string> {
  // The names of its files are computed: a file that it names must not change after the approval.
  const command = [
    `n=${name}; echo begun >> $n.begun; echo half`,
    `setsid sleep ${seconds[name]} & until ls | grep -q "^$n[.]go"; do sleep 0.2; done`,
    `echo ended >> $n.ended; kill $!`,
  ].join('\n')
  const turns = [
    { text: 'I build.', calls: [{ tool: 'shell', input: { command, cwd: 'notes' } }] },
    { text: 'Done.' },
  ]
  return {
    [`workers/${name}.md`]: `---
name: ${name}
description: Builds
model: script:scripts/${name}.yaml
shell: { default: ask }
zones:
${zones}
---
Build.
`,
    [`scripts/${name}.yaml`]: JSON.stringify({ turns }),
  }
}

const processesOf = (name: Name) => processesNaming('sleep', String(seconds[name]))

describe.skipIf(!testSandbox.works)('a command whose Temporal worker is killed', () => {
  let world: FaultWorld

  beforeAll(async () => {
    const files = { ...builder('lost'), ...builder('again') }
    world = await FaultWorld.start(faultProject({}, files))
  }, patience)
  afterAll(() => world?.[Symbol.asyncDispose](), patience)

  async function liveOf(runId: string): Promise<unknown> {
    const { body } = await (await world.as('ada')).get(`/v1/runs/${runId}/transcript`)
    const items = body['items'] as { calls?: { live?: unknown }[] }[]
    return items.flatMap((item) => item.calls ?? [])[0]?.live
  }

  /** Approved, begun, and killed with its worker in the middle; nobody knows how it ended. */
  async function killed(name: Name) {
    const runId = await world.startRun(name)
    const request = await world.onlyWaiting(runId)
    expect(await world.decide(request)).toMatchObject({ status: 200 })
    await waitUntil(async () => (await liveOf(runId)) !== undefined, { withinMs: 120_000 })
    expect(await liveOf(runId)).toMatchObject({ state: 'running', stdout: 5, stderr: 0 })
    await waitUntil(() => processesOf(name).length > 0)
    const gone = await world.installation.killNine('temporal-worker')
    await waitUntil(() => processesOf(name).length === 0)
    await world.installation.untilBack('temporal-worker', gone)
    const { callId } = request
    await world.untilSql('select state from execution where call_id = $1', [callId], 'unknown')
    const check = await world.onlyWaiting(runId)
    expect(check.id).not.toBe(request.id)
    return { runId, callId, check }
  }

  const begun = (name: Name) => world.read(`notes/${name}.begun`)

  async function settle(checkId: string, body: Record<string, unknown>): Promise<void> {
    const grace = await world.as('grace')
    expect(await grace.post(`/v1/requests/${checkId}/settle`, body)).toMatchObject({ status: 200 })
  }

  test(
    'ends with all it started and is not run again: nobody knows how it ended, and a person says',
    async () => {
      const { check, runId } = await killed('lost')
      const grace = await world.as('grace')
      expect((await grace.get(`/v1/requests/${check.id}`)).body).toMatchObject({
        kind: 'outcome_check',
        state: 'pending',
      })
      // Its output is kept for the person who settles the call, and is no result.
      expect(await liveOf(runId)).toMatchObject({ state: 'unknown', stdout: 5, stderr: 0 })
      expect(await world.calls(runId)).toMatchObject([
        { result: null, execution: 'unknown', attempts: 1 },
      ])
      await settle(check.id, { ran: true, then: 'continue', reason: 'it is half built' })
      await world.untilRun(runId, 'completed')
      expect(await begun('lost')).toBe('begun\n')
      expect(await world.read('notes/lost.ended')).toBeNull()
      expect(await liveOf(runId)).toBeUndefined()
      expect(await world.calls(runId)).toMatchObject([{ execution: 'succeeded', attempts: 1 }])
      expect((await world.told(runId))[0]).toContain('Its output is not known')
      expect(await world.audit(runId)).toEqual(
        expect.arrayContaining(['execution.started', 'execution.unknown', 'execution.settled']),
      )
    },
    patience,
  )

  test(
    'runs once more when a person says that it is to, and never before',
    async () => {
      const { callId, check, runId } = await killed('again')
      expect(await begun('again')).toBe('begun\n')
      await writeFile(join(world.installation.folder, 'notes/again.go'), '')
      await settle(check.id, { ran: false, then: 'again', reason: 'nothing was built' })
      await world.untilRun(runId, 'completed')
      expect(await begun('again')).toBe('begun\nbegun\n')
      expect(await world.read('notes/again.ended')).toBe('ended\n')
      expect(await world.calls(runId)).toMatchObject([
        { id: callId, execution: 'succeeded', result: 'output', attempts: 2 },
      ])
      expect(processesOf('again')).toEqual([])
    },
    patience,
  )
})
