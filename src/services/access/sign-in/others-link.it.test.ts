import { expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { beforeTransaction } from '#test/harness/fixtures/before-transaction.ts'
import { refusal } from '#test/harness/fixtures/refusal.ts'
import { rowsOf } from '#test/harness/fixtures/rows.ts'
import { useLink } from '#test/harness/fixtures/use-link.ts'
import type { SigningSystemContext } from '../../core/context.ts'
import { service } from '../../core/authority.ts'
import { createSignInLink } from './sign-in-link.ts'

const desk = disposeAfterTests(await openAgentDesk())
const { ada, grace } = desk.people

/** Signs in with a new link, where the session of `replacesToken` is. */
async function signIn(
  email: string,
  replacesToken: string | null,
  ctx: SigningSystemContext = desk.api,
) {
  const { token } = await createSignInLink(desk.api, service, { email })
  return useLink(ctx, token, replacesToken)
}

const sessionsOf = (personId: string) =>
  rowsOf(desk.database.db, 'session', { person_id: personId }, 'id')

// Rules: security.md 38
test('whether another person is signed in is judged in the transaction that uses the link', async () => {
  const { token } = await signIn('ada@example.com', null)
  expect(await refusal(signIn('grace@example.com', token))).toMatchObject({
    code: 'conflict',
    facts: { signedInAs: 'Ada' },
  })
  expect(await sessionsOf(ada.id)).toHaveLength(1)
  const signOut = () =>
    desk.database.db.deleteFrom('session').where('person_id', '=', ada.id).execute()
  const ctx = { ...desk.api, db: beforeTransaction(desk.api.db, signOut) }
  expect(await signIn('grace@example.com', token, ctx)).toMatchObject({ personId: grace.id })
})
