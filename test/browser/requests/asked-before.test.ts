import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { deskConfig } from '../../harness/fixtures/agent-desk.ts'
import { ask, openDashboard, phone } from '../open-dashboard.ts'

const dashboard = disposeAfterTests(await openDashboard())
await dashboard.desk.activate({
  'countersign.yaml': `${deskConfig}routing:\n  - { when: { path: 'notes/high*' }, risk: high }\n`,
})

/** Asks for the same write once more; the file is gone first, so that it would change something. */
async function askFor(path: string, content: string) {
  const { desk } = dashboard
  await rm(join(desk.root, path), { force: true })
  const turn = await ask(desk, [{ tool: 'write_file', input: { path, content } }], 'I write.')
  return { requestId: turn.requestIds[0] ?? '', callId: turn.callIds[0] ?? '' }
}

async function rowOf(requestId: string) {
  const { db } = dashboard.desk.database
  return db.selectFrom('request').selectAll().where('id', '=', requestId).executeTakeFirstOrThrow()
}

test('a call at high risk that was carried out before is approved only after the box “again” is ticked', async () => {
  const { desk } = dashboard
  const denied = await askFor('notes/high.md', 'Text\n')
  await desk.decide(desk.people.linus, denied.requestId, {
    decision: 'deny',
    reason: 'wrong account',
  })
  const first = await askFor('notes/high.md', 'Text\n')
  const { presentation_digest: seen } = await desk.database.db
    .selectFrom('request_revision')
    .select('presentation_digest')
    .where('request_id', '=', first.requestId)
    .executeTakeFirstOrThrow()
  await desk.decide(desk.people.grace, first.requestId, { seen, reason: 'read' })
  await desk.execute(first.callId)
  const second = await askFor('notes/high.md', 'Text\n')

  const inbox = await dashboard.open('Linus', '/')
  await inbox.getByText('carried out once before').waitFor()
  const page = await dashboard.open('Linus', `/requests/${second.requestId}`)
  const before = page.getByRole('region', { name: 'Similar calls' })
  await before.getByText('This very call was carried out once before.').waitFor()
  const lines = await before.getByRole('listitem').allTextContents()
  expect(lines).toHaveLength(2)
  expect(lines[0]).toContain('carried out, approved by Grace')
  expect(lines[1]).toMatch(/denied by Linus, .*: “wrong account”/)
  const { number } = await rowOf(first.requestId)
  await before.getByRole('link', { name: `#${number}` }).waitFor()
  await page.screenshot({ path: 'test-results/asked-before.png', fullPage: true })

  // On a phone a tap on the explanation of the checkbox does not tick it.
  const touched = { viewport: phone, hasTouch: true }
  const small = await dashboard.open('Linus', `/requests/${second.requestId}`, touched)
  await small.getByRole('button', { name: 'Decide…' }).tap()
  await small.getByRole('radio', { name: 'Approve as shown' }).check()
  const again = small.getByRole('checkbox', { name: 'Yes, again' })
  const words = small.locator('.mantine-Checkbox-description')
  await words.scrollIntoViewIfNeeded()
  const { x, y, width, height } = (await words.boundingBox())!
  await small.touchscreen.tap(x + width / 2, y + height / 2)
  expect(await again.isChecked()).toBe(false)
  await small.getByText('Yes, again', { exact: true }).tap()
  expect(await again.isChecked()).toBe(true)

  await page.getByRole('radio', { name: 'Approve as shown' }).check()
  await page.getByLabel('Reason').fill('once more, as agreed')
  const obstacle = page.locator('.obstacle', { hasText: 'Tick “Yes, again”' })
  await obstacle.waitFor()
  expect(await page.getByRole('button', { name: 'Submit', exact: true }).isDisabled()).toBe(true)
  await page.getByRole('checkbox', { name: 'Yes, again' }).check()
  await page.getByRole('button', { name: 'Submit', exact: true }).click()
  await page.getByText('Approved by you').waitFor()
  expect((await rowOf(second.requestId)).state).toBe('approved')
})

test('similar requests are shown, and nothing has to be ticked', async () => {
  await askFor('notes/plain.md', 'One\n')
  const other = await askFor('notes/plain.md', 'Two\n')
  const page = await dashboard.open('Linus', `/requests/${other.requestId}`)
  const before = page.getByRole('region', { name: 'Similar calls' })
  await before.getByRole('heading', { name: 'The same file or program' }).waitFor()
  expect(await before.getByRole('listitem').allTextContents()).toEqual([
    expect.stringContaining('waits too'),
  ])
  await page.getByRole('radio', { name: 'Approve as shown' }).check()
  expect(await page.getByRole('checkbox', { name: 'Yes, again' }).count()).toBe(0)
})

test('three of many equal requests are described, the decided ones first, and the others are listed by number', async () => {
  const { desk } = dashboard
  const denied = await askFor('notes/often.md', 'Text\n')
  await desk.decide(desk.people.linus, denied.requestId, { decision: 'deny', reason: 'not yet' })
  const waiting = []
  for (let times = 0; times < 4; times++) waiting.push(await askFor('notes/often.md', 'Text\n'))
  const page = await dashboard.open('Linus', `/requests/${waiting.pop()?.requestId}`)
  const before = page.getByRole('region', { name: 'Similar calls' })
  await before.getByText('1 more:').waitFor()
  expect(await before.getByRole('listitem').allTextContents()).toEqual([
    expect.stringContaining('denied by Linus'),
    expect.stringContaining('waits too'),
    expect.stringContaining('waits too'),
  ])
  const { number } = await rowOf(waiting[0]?.requestId ?? '')
  await before.getByRole('link', { name: `#${number}`, exact: true }).waitFor()
})
