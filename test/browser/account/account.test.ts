import { expect, test } from 'vitest'
import { offerSlackLink } from '#services/channels/slack/offer-slack-link.ts'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { deskConfig } from '../../harness/fixtures/agent-desk.ts'
import { clientId, startOpenIdProvider } from '../../harness/open-id/open-id-provider.ts'
import { focusedText, openDashboard } from '../open-dashboard.ts'

const dashboard = disposeAfterTests(await openDashboard())
const provider = disposeAfterTests(
  await startOpenIdProvider(`${dashboard.url}/v1/auth/oidc/callback`),
)
const signIn = `signIn:
  oidc: { issuer: "${provider.issuer}", clientId: ${clientId}, clientSecretFrom: OIDC_SECRET, label: Example Corp }
`
const slack = `slack: { team: T0ACME, tokenFrom: SLACK_TOKEN, signingSecretFrom: SLACK_SECRET, channels: {} }\n`
await dashboard.desk.activate({ 'countersign.yaml': deskConfig + signIn + slack })

test('a sign-in at the provider leads to the requested page, and signing out leads to the provider', async () => {
  provider.account = { sub: 'grace', email: 'grace@example.com', email_verified: true }
  const page = await dashboard.openSignedOut('/account?from=mail')
  await page.getByRole('link', { name: 'Sign in with Example Corp' }).click()
  await page.getByRole('heading', { name: 'Your account' }).waitFor()
  expect(page.url()).toBe(`${dashboard.url}/account?from=mail`)
  const sessions = page.getByRole('region', { name: 'Sessions' })
  await sessions.getByText('by sign-in provider').waitFor()
  await sessions.getByText('this session').waitFor()
  await page.getByRole('button', { name: 'Signed in as Grace' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.waitForURL(`${provider.issuer}/**`)
  await page.goto(dashboard.url)
  await page.getByRole('heading', { name: 'Sign in to Countersign' }).waitFor()
})

test('the button of the provider has its place before its address is known', async () => {
  const page = await dashboard.openSignedOut('/')
  await page.addInitScript(() => {
    const digest = crypto.subtle.digest.bind(crypto.subtle)
    const { promise, resolve } = Promise.withResolvers<void>()
    Object.assign(globalThis, { releaseDigest: resolve })
    crypto.subtle.digest = async (...values) => promise.then(() => digest(...values))
  })
  await page.reload()
  const provider = page.getByText('Sign in with Example Corp')
  const next = page.getByRole('button', { name: 'Sign in with a passkey' })
  await provider.waitFor()
  const before = await next.boundingBox()
  await page.evaluate('releaseDigest()')
  await page.getByRole('link', { name: 'Sign in with Example Corp' }).waitFor()
  expect(await next.boundingBox()).toEqual(before)
})

test('a sign-in at the provider says what it needs on a page of plain HTTP, where a browser has no digests', async () => {
  const page = await dashboard.openEmpty()
  await page.route('http://countersign.example/**', async (route) => {
    const { pathname, search } = new URL(route.request().url())
    const response = await route.fetch({ url: dashboard.url + pathname + search })
    await route.fulfill({ response })
  })
  await page.goto('http://countersign.example/')
  await page
    .getByText('Signing in with Example Corp needs HTTPS, and this page was opened at')
    .waitFor()
  await page.getByText('http://countersign.example', { exact: true }).waitFor()
  expect(await page.getByText('Sign in with Example Corp').count()).toBe(0)
})

test('a person whom the provider does not vouch for sees the reason on the sign-in page', async () => {
  provider.account = { sub: 'linus', email: 'linus@example.com', email_verified: false }
  const page = await dashboard.openSignedOut('/')
  await page.getByRole('link', { name: 'Sign in with Example Corp' }).click()
  const alert = page.getByRole('alert')
  await alert.getByText('has not verified your e-mail address').waitFor()
})

test('another session is ended from the account page after a question, its window is signed out, and the focus is never lost', async () => {
  const lost = await dashboard.open('Linus', '/account')
  const kept = await dashboard.open('Linus', '/account')
  const sessions = kept.getByRole('region', { name: 'Sessions' })
  await sessions.getByRole('button', { name: 'End all other sessions' }).waitFor()
  const end = sessions.getByRole('button', { name: /^End the session on/ })
  await end.click()
  await expect.poll(() => focusedText(kept)).toBe('Cancel')
  await kept.keyboard.press('Enter')
  await expect.poll(() => focusedText(kept)).toMatch(/^End the session on/)
  await end.click()
  await sessions.getByRole('button', { name: 'End the session', exact: true }).click()
  await end.waitFor({ state: 'hidden' })
  await expect.poll(() => focusedText(kept)).toBe('Sessions')
  await lost.getByRole('link', { name: 'Runs' }).click()
  await lost.getByRole('heading', { name: 'Sign in to Countersign' }).waitFor()
  await lost.getByText('Your session ended.').waitFor()
  await sessions.getByRole('button', { name: 'Sign in another device' }).click()
  await sessions.getByText(/^countersign login "http:\/\/localhost:\d+\/sign-in#link=/).waitFor()
})

test('a double click creates one key, and rotates it once', async () => {
  const page = await dashboard.open('Grace', '/account')
  const keys = page.getByRole('region', { name: 'API keys' })
  const sent: string[] = []
  let clicks = Promise.withResolvers<void>()
  await page.route(/\/v1\/keys/, async (route) => {
    const request = route.request()
    if (request.method() === 'POST') {
      sent.push(new URL(request.url()).pathname)
      await clicks.promise
    }
    await route.continue()
  })
  await keys.getByRole('button', { name: 'Create a key…' }).click()
  await keys.getByLabel('Name').fill('once')
  await keys.getByLabel('read runs').check()
  await keys.getByRole('button', { name: 'Create the key' }).dblclick()
  clicks.resolve()
  await keys.getByText('never used').waitFor()
  expect(sent).toEqual(['/v1/keys'])
  clicks = Promise.withResolvers<void>()
  const rotate = keys.getByRole('button', { name: /^Rotate once/ })
  await rotate.dblclick()
  clicks.resolve()
  await keys.getByText('the previous secret expires').waitFor()
  expect(sent).toHaveLength(2)
  // The second click of a double click, after the service has answered the first one.
  await rotate.dispatchEvent('click', { detail: 2 })
  await keys.getByRole('button', { name: /^Revoke once/ }).click()
  await keys.getByRole('button', { name: 'Revoke for good' }).click()
  await keys.getByText('revoked', { exact: true }).waitFor()
  expect(sent).toHaveLength(2)
})

test('a key is made, shown once, rotated, and revoked after a question, with the focus kept', async () => {
  const page = await dashboard.open('Ada', '/account')
  const keys = page.getByRole('region', { name: 'API keys' })
  await keys.getByRole('button', { name: 'Create a key…' }).click()
  await keys.getByLabel('Name').fill('nightly')
  await keys.getByLabel('read runs').check()
  await keys.getByRole('button', { name: 'Create the key' }).click()
  const secret = keys.getByText(/^cs_[0-9a-f]{16}_[\w-]{43}$/)
  await secret.waitFor()
  const made = (await secret.textContent()) ?? ''
  await keys.getByText('never used').waitFor()
  await keys.getByRole('button', { name: /^Rotate nightly/ }).click()
  await keys.getByText('the previous secret expires').waitFor()
  const rotated = (await secret.textContent()) ?? ''
  expect(rotated.slice(0, 20)).toBe(made.slice(0, 20))
  expect(rotated).not.toBe(made)
  await page.reload()
  await keys.getByText('nightly', { exact: true }).waitFor()
  expect(await page.content()).not.toContain(rotated.slice(20))
  await keys.getByRole('button', { name: /^Revoke nightly/ }).click()
  await keys.getByRole('heading', { name: 'Revoke nightly?' }).waitFor()
  await keys.getByRole('button', { name: 'Revoke for good' }).click()
  await keys.getByText('revoked', { exact: true }).waitFor()
  await expect.poll(() => focusedText(page)).toBe('API keys')
  expect(dashboard.complaints).toEqual([])
})

test('a link from Slack survives signing in at the provider, is confirmed by a press, not by opening it, and ended', async () => {
  const { desk } = dashboard
  const user = { team: 'T0ACME', userId: 'U0ADA', email: 'ada@example.com' }
  const code = await offerSlackLink(desk.api, user)
  const links = desk.database.db.selectFrom('slack_link').select('user_id')
  provider.account = { sub: 'ada', email: 'ada@example.com', email_verified: true }
  const page = await dashboard.openSignedOut(`/account#slack=${code}`)
  await page.getByRole('link', { name: 'Sign in with Example Corp' }).click()
  const section = page.getByRole('region', { name: 'Slack' })
  await section.getByRole('button', { name: 'Yes, I pressed that button' }).waitFor()
  expect(await links.execute()).toEqual([])
  await section.getByRole('button', { name: 'Yes, I pressed that button' }).click()
  await section.getByText('U0ADA').waitFor()
  expect(new URL(page.url()).hash).toBe('')
  await section.getByRole('button', { name: 'Unlink U0ADA' }).click()
  await section.getByText('Not linked.').waitFor()
  expect(await links.execute()).toEqual([])
})
