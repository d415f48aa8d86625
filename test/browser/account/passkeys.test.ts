import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { parseBundle } from '#evidence/bundle/evidence-bundle.ts'
import { formatStatementKeys } from '#evidence/bundle/statement-keys.ts'
import { verifyBundle } from '#evidence/verify/verify-bundle.ts'
import { exportBundle } from '#services/audit/export/export-bundle.ts'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { deskConfig } from '../../harness/fixtures/agent-desk.ts'
import { keepCovered, logSigner } from '../../harness/fixtures/cover-audit.ts'
import { axeProblemsInBothSchemes } from '../../harness/programs/axe.ts'
import { ask, focusedText, openDashboard } from '../open-dashboard.ts'

const config = `${deskConfig
  .replace('{ team: platform }', '{ team: platform, signature: required }')
  .replace('rights:', 'routing: [{ when: { tool: write_file }, risk: high }]\nrights:')}
  activatePolicy: [operators]
  managePeople: [operators]
  readAudit: [operators]
`

const dashboard = disposeAfterTests(await openDashboard())
await dashboard.desk.activate({ 'countersign.yaml': config })

/**
 * Chromium's own authenticator in software; `verify(false)`: its owner is not recognised from now
 * on.
 */
async function virtualAuthenticator(page: Page): Promise<{
  verify(is: boolean): Promise<void>
  /** from now on nobody touches it: its prompt stays open */
  leaveUntouched(): Promise<void>
}> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return {
    async verify(isUserVerified) {
      await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified })
    },
    async leaveUntouched() {
      await cdp.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled: false })
    },
  }
}

/** Says from now on whether the prompt for a signature or for a new passkey is open. */
async function watchPrompt(page: Page, act: 'get' | 'create') {
  await page.evaluate((name) => {
    const acts = navigator.credentials as unknown as Record<
      typeof name,
      (options?: object) => Promise<unknown>
    >
    const prompt = acts[name].bind(navigator.credentials)
    const { dataset } = document.documentElement
    acts[name] = async (options) => {
      dataset['prompt'] = 'open'
      return prompt(options).finally(() => (dataset['prompt'] = 'closed'))
    }
  }, act)
  return () => page.locator('html').getAttribute('data-prompt')
}

/** Registers a passkey on the page of the account, which is open. */
async function addPasskey(page: Page, name: string): Promise<Locator> {
  const passkeys = page.getByRole('region', { name: 'Passkeys' })
  await passkeys.getByLabel('Name of a new passkey').fill(name)
  await passkeys.getByRole('button', { name: 'Add a passkey' }).click()
  await passkeys.getByText('not confirmed').waitFor()
  return passkeys
}

// Rules: security.md 12
test('a passkey is registered, confirmed by another, signs in, and signs a decision that a stranger can verify', async () => {
  const { desk } = dashboard
  const content = 'Signed\n'
  const input = { path: 'notes/signed.md', content }
  const { requestIds, callIds } = await ask(desk, [{ tool: 'write_file', input }], 'A note.')
  const requestId = requestIds[0]!
  const page = await dashboard.open('Grace', `/requests/${requestId}`)
  const authenticator = await virtualAuthenticator(page)
  await page.getByText('you have none').waitFor()
  await page.getByRole('link', { name: 'Add a passkey' }).click()
  const passkeys = await addPasskey(page, 'Laptop')

  const approve = async (): Promise<void> => {
    await page.getByRole('radio', { name: 'Approve as shown' }).check()
    await page.getByRole('button', { name: 'Sign and submit' }).click()
  }
  await page.goto(`${dashboard.url}/requests/${requestId}`)
  await page.getByText('your passkey waits for somebody').waitFor()
  await page.getByLabel('Reason').fill('I read it')
  await approve()
  await page.getByText('Nobody has confirmed your passkey yet').waitFor()

  const olga = await dashboard.open('Olga', '/account')
  const confirm = olga.getByRole('button', { name: 'Confirm the passkey Laptop of Grace' })
  await olga.route('**/confirm', (route) => route.abort(), { times: 1 })
  await confirm.click()
  await olga.getByRole('alert').getByText('The service did not answer').waitFor()
  expect(await confirm.evaluate((it) => it === document.activeElement)).toBe(true)
  await confirm.click()
  await olga.getByText('No passkey waits for confirmation.').waitFor()
  await page.getByText('your passkey waits for somebody').waitFor({ state: 'hidden' })

  await page.context().clearCookies()
  await page.goto(`${dashboard.url}/account`)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await passkeys.getByText('confirmed by Olga').waitFor()

  await page.goto(`${dashboard.url}/requests/${requestId}`)
  await authenticator.verify(false)
  await approve()
  await page.getByText('Not signed, and nothing was sent.').waitFor()
  await page.getByText('or this device has none of your passkeys').waitFor()
  const submit = page.getByRole('button', { name: 'Sign and submit' })
  await expect.poll(() => submit.evaluate((it) => it === document.activeElement)).toBe(true)
  const cut = (label: Element): boolean => label.scrollWidth > label.clientWidth
  expect(await submit.locator('.mantine-Button-label').evaluate(cut)).toBe(false)
  expect(await page.getByText('Your approval needs a passkey').count()).toBe(0)
  expect(await page.getByLabel('Reason').inputValue()).toBe('I read it')
  await authenticator.verify(true)
  await page.keyboard.press('Enter')
  await page.getByText('Approved by you').waitFor()
  await page.getByText('signed with passkey Laptop').waitFor()
  await desk.execute(callIds[0]!)
  expect(await desk.read(input.path)).toBe(content)

  await using _covering = keepCovered(desk.database.db)
  const bundle = await exportBundle(desk.api, desk.people.olga.caller, {
    request: requestId,
    keysNote: formatStatementKeys(desk.api.verifier, logSigner),
    keyReadsAudit: false,
  })
  const verdicts = verifyBundle(parseBundle(JSON.stringify(bundle)), logSigner.key, null)
  expect(verdicts.flatMap(({ findings }) => findings)).toEqual([])
  expect(verdicts.flatMap(({ notes }) => notes)).toContain('signatures of approvers: 1')
  const unsigned = bundle.events.map((one) => ({
    ...one,
    event: one.event.replace('"passkey_confirmed"', '"passkey_renamed"'),
  }))
  const forged = verifyBundle({ ...bundle, events: unsigned }, logSigner.key, null)
  const failing = forged.filter(({ outcome }) => outcome !== 'holds').map(({ name }) => name)
  expect(failing).toEqual(['integrity', 'authorisation'])
  expect(dashboard.complaints).toEqual([])
})

test('the prompt of a passkey is closed when the request is decided by another, and nothing is said of a closed prompt', async () => {
  const { desk } = dashboard
  const input = { path: 'notes/prompt.md', content: 'Signed\n' }
  const { requestIds } = await ask(desk, [{ tool: 'write_file', input }], 'A note.')
  const page = await dashboard.open('Linus', '/account')
  const authenticator = await virtualAuthenticator(page)
  await addPasskey(page, 'Key of Linus')
  const olga = await dashboard.open('Olga', '/account')
  await olga.getByRole('button', { name: 'Confirm the passkey Key of Linus of Linus' }).click()
  await olga.getByText('No passkey waits for confirmation.').waitFor()

  await page.goto(`${dashboard.url}/requests/${requestIds[0]}`)
  await page.getByLabel('Reason').fill('I read it')
  await authenticator.leaveUntouched()
  const prompt = await watchPrompt(page, 'get')
  await page.getByRole('radio', { name: 'Approve as shown' }).check()
  await page.getByRole('button', { name: 'Sign and submit' }).click()
  await expect.poll(prompt).toBe('open')
  await desk.decide(desk.people.grace, requestIds[0]!, { decision: 'deny', reason: 'not today' })
  await expect.poll(prompt).toBe('closed')
  await page.getByText('Denied by Grace').first().waitFor()
  expect(await page.getByText('prompt was closed').count()).toBe(0)
})

test('the prompt for a new passkey is closed when the person leaves the page, without an error', async () => {
  const page = await dashboard.open('Ada', '/account')
  const authenticator = await virtualAuthenticator(page)
  await authenticator.leaveUntouched()
  const prompt = await watchPrompt(page, 'create')
  await page.getByLabel('Name of a new passkey').fill('left')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await expect.poll(prompt).toBe('open')
  await page.getByRole('link', { name: 'Runs' }).click()
  await expect.poll(prompt).toBe('closed')
  await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
})

test('a passkey is removed after a question, and the focus is never lost', async () => {
  const page = await dashboard.open('Ada', '/account')
  await virtualAuthenticator(page)
  const passkeys = await addPasskey(page, 'Old key')
  const focused = () => focusedText(page)
  const remove = passkeys.getByRole('button', { name: 'Remove Old key' })
  await remove.focus()
  await page.keyboard.press('Enter')
  await passkeys.getByRole('heading', { name: 'Remove Old key?' }).waitFor()
  await expect.poll(focused).toBe('Cancel')
  expect(await axeProblemsInBothSchemes(page)).toEqual([])
  await page.keyboard.press('Enter')
  await expect.poll(focused).toBe('Remove Old key')
  await page.keyboard.press('Enter')
  await expect.poll(focused).toBe('Cancel')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await passkeys.getByText('Old key').first().waitFor({ state: 'detached' })
  await expect.poll(focused).toBe('Passkeys')
})
