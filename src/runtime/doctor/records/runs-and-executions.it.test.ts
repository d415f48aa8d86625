import { beforeAll, expect, test } from 'vitest'
import { addRequest } from '#test/harness/fixtures/gated-run.ts'
import { addPerson, type TestPerson } from '#test/harness/fixtures/people.ts'
import { waitUntil } from '#test/harness/wait-until.ts'
import { rowOf, setRows } from '#test/harness/fixtures/rows.ts'
import { startRunWorkflow } from '#delivery/outbox/deliver-rows.ts'
import {
  addOldRun,
  address,
  database,
  delivering,
  endRun,
  service,
  temporal,
  useWorkflowDesk,
} from '#delivery/reconciling/workflow-desk.fixture.ts'
import { decideAs } from '#test/harness/fixtures/runs/decide-as.ts'
import { findFolders } from '../../folders.ts'
import { checkExecutions } from './check-executions.ts'
import { checkRuns } from './check-runs.ts'
import type { CheckTarget } from '../target/check.ts'

useWorkflowDesk()
let grace: TestPerson
let target: CheckTarget

beforeAll(async () => {
  grace = await addPerson(service.db, 'Grace', ['platform'])
  target = {
    folders: findFolders({ data: '/nowhere' }),
    environment: {},
    databaseUrl: database.url,
    temporalAddress: address.address,
    temporalNamespace: address.namespace,
    temporalSecurity: { tls: false },
    isAtWork: true,
  }
})

async function startWorkflow(workflowId: string): Promise<void> {
  await startRunWorkflow(delivering(), { id: workflowId, workflow_id: workflowId })
}

test('doctor names runs without a workflow, workflows without a run and ended runs whose workflow goes on, and touches none', async () => {
  const [missing, revived] = [await addOldRun(), await addOldRun()]
  await startWorkflow(`run-${revived.id}`)
  await startWorkflow('run-of-nobody')
  await endRun(revived)
  await waitUntil(async () => (await checkRuns(target)).length === 3)
  const findings = await checkRuns(target)
  expect(findings.map(({ check, state }) => `${check} ${state}`)).toEqual([
    'runs problem',
    'runs problem',
    'runs problem',
  ])
  expect(findings[0]?.found).toBe(
    `runs without a workflow, since Temporal was restored from an older copy or emptied: 1 (${missing.id})`,
  )
  expect(findings[1]?.found).toContain(`1 (${revived.id})`)
  expect(findings[2]?.found).toContain('1 (run-of-nobody)')
  expect(findings.every(({ remedy }) => remedy?.includes('countersign doctor --repair'))).toBe(true)
  const { raw } = await temporal.client.workflow.getHandle('run-of-nobody').describe()
  expect(Number(raw.workflowExecutionInfo?.historyLength)).toBe(2)
})

test('doctor says nothing about runs at a Temporal that is not the one of this installation', async () => {
  const own = await rowOf(service.db, 'installation', {}, 'namespace_id')
  await service.db.updateTable('installation').set({ namespace_id: 'another' }).execute()
  expect(await checkRuns(target)).toEqual([])
  await service.db.updateTable('installation').set(own).execute()
})

test('doctor names approvals that an interrupted repair left, and calls that nobody has reported on', async () => {
  expect(await checkExecutions(target)).toMatchObject([{ state: 'ok' }])
  const request = await addRequest(service, await addOldRun())
  await decideAs(service.ctx, grace, request, { scope: 'once' })
  const { epoch } = await rowOf(service.db, 'installation', {})
  await setRows(service.db, 'installation', {}, { epoch: epoch + 1 })
  expect(await checkExecutions(target)).toMatchObject([
    { state: 'problem', found: expect.stringContaining('which was interrupted: 1') },
  ])
  await service.db
    .insertInto('execution')
    .values({
      call_id: request.callId,
      attempt: 1,
      state: 'started',
      epoch: epoch + 1,
      started_at: new Date(Date.now() - 2 * 3_600_000),
    })
    .execute()
  expect(await checkExecutions(target)).toMatchObject([
    { state: 'problem', found: expect.stringContaining('over 95 minutes: 1') },
    { state: 'problem' },
  ])
})
