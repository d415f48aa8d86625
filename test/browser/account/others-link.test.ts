import { expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import { createSignInLink } from '#services/access/sign-in/sign-in-link.ts'
import { service } from '#services/core/authority.ts'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { openDashboard } from '../open-dashboard.ts'

const dashboard = disposeAfterTests(await openDashboard())

async function tokenOf(email: string): Promise<string> {
  return (await createSignInLink(dashboard.desk.api, service, { email })).token
}

const signedInAs = (page: Page, name: string) =>
  page.getByRole('button', { name: `Signed in as ${name}` })

// Rules: security.md 38
test.each(['link', 'mailed', 'provider'])(
  'a link behind #%s= does not sign a browser in as somebody else unnoticed',
  async (kind) => {
    const path = `/sign-in#${kind}=${await tokenOf('linus@example.com')}`
    const page = await dashboard.open('Grace', path)
    const useLink = async () => {
      if (kind === 'mailed') {
        await page.getByRole('button', { name: 'Sign in on this device' }).click()
      }
      await page.getByRole('heading', { name: 'This link is for somebody else' }).waitFor()
      await page.getByText('You are signed in as Grace.').waitFor()
    }
    await useLink()
    await page.getByRole('link', { name: 'Stay signed in as Grace' }).click()
    await signedInAs(page, 'Grace').waitFor()
    await page.goto('about:blank')
    await page.goto(dashboard.url + path)
    await useLink()
    await page.getByRole('button', { name: 'Sign in with this link' }).click()
    await signedInAs(page, 'Linus').waitFor()
    expect(dashboard.complaints).toEqual([])
  },
)

test('a link signs the person who is signed in already in again at once', async () => {
  const path = `/sign-in#link=${await tokenOf('grace@example.com')}`
  const page = await dashboard.open('Grace', path)
  await signedInAs(page, 'Grace').waitFor()
  expect(new URL(page.url()).pathname).toBe('/')
})
