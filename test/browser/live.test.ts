import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSignInLink } from '../../src/services/access/sign-in-link.ts'
import { signInUrl } from '../../src/services/access/sign-in-url.ts'
import { ask, openDashboard, type Dashboard } from './open-dashboard.ts'

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await openDashboard()
})
afterAll(async () => {
  await dashboard[Symbol.asyncDispose]()
})

async function askForNote(path: string) {
  const input = { path, content: 'Text\n' }
  const { requestIds, runId } = await ask(
    dashboard.desk,
    [{ tool: 'write_file', input }],
    'A note.',
  )
  return { id: requestIds[0]!, runId }
}

test('new requests wait behind a bar and nothing moves until they are asked for', async () => {
  await askForNote('notes/here.md')
  const page = await dashboard.open('Grace', '/')
  await page.getByRole('link', { name: 'notes/here.md' }).waitFor()
  await page.getByText('Live', { exact: true }).waitFor()
  await askForNote('notes/arrives.md')
  await askForNote('notes/arrives-too.md')
  await page.getByRole('button', { name: '2 new' }).waitFor()
  expect(await page.locator('.request-row').count()).toBe(1)
  await page.keyboard.press('.')
  await page.getByRole('link', { name: 'notes/arrives.md' }).waitFor()
  expect(await page.locator('.request-row').count()).toBe(3)
})

test('a request decided elsewhere greys with the name of who decided, and leaves the focus where it can be found', async () => {
  const { id } = await askForNote('notes/elsewhere.md')
  const page = await dashboard.open('Grace', '/')
  const row = page.locator('.request-row', { hasText: 'notes/elsewhere.md' })
  await row.getByRole('link').focus()
  const linus = await dashboard.open('Linus', `/requests/${id}`)
  await linus.getByRole('radio', { name: 'Deny', exact: true }).check()
  await linus.getByRole('button', { name: 'Submit', exact: true }).click()
  await row.getByText('Denied by Linus').waitFor()
  await row.waitFor({ state: 'detached', timeout: 90_000 })
  const focused = await page.evaluate(() => document.activeElement?.className ?? '')
  expect(focused).toContain('request-link')
})

test('a stream that was lost is said to be, is taken up again, and what happened meanwhile appears', async () => {
  const { id } = await askForNote('notes/gap.md')
  const page = await dashboard.open('Grace', `/requests/${id}`)
  await page.getByText('Live', { exact: true }).waitFor()
  await dashboard.stopListening()
  await page.locator('[data-state="reconnecting"]').waitFor()
  await dashboard.desk.decide(dashboard.desk.people.grace, id, {
    decision: 'deny',
    reason: 'in the gap',
  })
  await dashboard.listenAgain()
  await page.locator('[data-state="live"]').waitFor({ timeout: 90_000 })
  await page.getByText('Denied by Grace').first().waitFor()
  expect(await page.getByRole('radio').count()).toBe(0)
})

test('after thirty seconds without the service, deciding is switched off and says so', async () => {
  const { id } = await askForNote('notes/offline.md')
  const page = await dashboard.open('Grace', '/')
  await page.clock.install()
  await page.goto(`${dashboard.url}/requests/${id}`)
  await page.getByRole('radio', { name: 'Approve as shown' }).check()
  await page.locator('[data-state="live"]').waitFor()
  await dashboard.stopListening()
  await page.locator('[data-state="reconnecting"]').waitFor()
  const submit = page.getByRole('button', { name: 'Submit', exact: true })
  expect(await submit.isEnabled()).toBe(true)
  await page.clock.runFor(40_000)
  await page.locator('[data-state="offline"]').waitFor()
  await page.getByText('Offline: nothing can be submitted').waitFor()
  expect(await submit.isEnabled()).toBe(false)
  await dashboard.listenAgain()
})

test('signing in happens under the address one wanted, and the page opens there', async () => {
  const { id } = await askForNote('notes/deep-link.md')
  const page = await dashboard.openSignedOut(`/requests/${id}`)
  await page.getByLabel('Person').selectOption('grace@example.com')
  await page.getByLabel('Development token').fill('a-wrong-token')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.locator('.mantine-InputWrapper-error').waitFor()
  await page.getByLabel('Development token').fill('a-token-that-only-the-owner-can-read')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { level: 1, name: 'notes/deep-link.md' }).waitFor()
  expect(new URL(page.url()).pathname).toBe(`/requests/${id}`)
})

test('a one-time link signs in once, and its token does not stay in the address', async () => {
  const caller = { actor: { type: 'system' }, channel: 'system' } as const
  const made = await createSignInLink(dashboard.desk.api, caller, { email: 'grace@example.com' })
  const path = signInUrl('', made.token)
  const first = await dashboard.openSignedOut(path)
  await first.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
  expect(first.url()).not.toContain('link=')
  const second = await dashboard.openSignedOut(path)
  await second.getByText('This link does not sign you in').waitFor()
})
