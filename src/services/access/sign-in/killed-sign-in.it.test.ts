import { expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { afterWork } from '#test/harness/fixtures/before-transaction.ts'
import { refusal } from '#test/harness/fixtures/refusal.ts'
import { useLink } from '#test/harness/fixtures/use-link.ts'
import type { SigningSystemContext } from '../../core/context.ts'
import { service } from '../../core/authority.ts'
import { createSignInLink } from './sign-in-link.ts'

const desk = disposeAfterTests(await openAgentDesk())
const newLink = () => createSignInLink(desk.api, service, { email: 'ada@example.com' })

const signIn = (ctx: SigningSystemContext, { token }: { readonly token: string }) =>
  useLink(ctx, token)

/** What is thrown in place of the first commit. */
const failingOnce = (error: Error): SigningSystemContext => ({
  ...desk.api,
  db: afterWork(desk.api.db, async () => {
    throw error
  }),
})

// Rules: security.md 29
test('a link whose sign-in died before its commit signs in nobody any more, and a new link does', async () => {
  const link = await newLink()
  await expect(signIn(failingOnce(new Error('killed')), link)).rejects.toThrow('killed')
  expect((await refusal(signIn(desk.api, link))).code).toBe('unauthenticated')
  const { id } = desk.people.ada
  expect(await signIn(desk.api, await newLink())).toMatchObject({ personId: id })
})

test('a link whose sign-in is tried again after a conflict of transactions signs in', async () => {
  const conflict = Object.assign(new Error('deadlock detected'), { code: '40P01' })
  const { id } = desk.people.ada
  expect(await signIn(failingOnce(conflict), await newLink())).toMatchObject({ personId: id })
})
