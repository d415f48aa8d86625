import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { newId } from '#domain/new-id.ts'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { outcomeOf, refusal } from '#test/harness/fixtures/refusal.ts'
import { rowsOf } from '#test/harness/fixtures/rows.ts'
import { useLink } from '#test/harness/fixtures/use-link.ts'
import { holdLock } from '#test/harness/hold-lock.ts'
import { service } from '../../core/authority.ts'
import { createSignInLink } from '../sign-in/sign-in-link.ts'
import { endNamedSession, endOtherSessions } from './end-sessions.ts'

const desk = disposeAfterTests(await openAgentDesk())
const { api: ctx, database } = desk
const { ada } = desk.people
const email = 'ada@example.com'

const newLink = async () => (await createSignInLink(ctx, service, { email })).token
const sessionIds = async () =>
  (await rowsOf(database.db, 'session', { person_id: ada.id }, 'id')).map(({ id }) => id)

/** Signs Ada in; the id of her only session. */
async function signIn(): Promise<string> {
  await database.db.deleteFrom('session').where('person_id', '=', ada.id).execute()
  await useLink(ctx, await newLink())
  const [id] = await sessionIds()
  return id ?? ''
}

const endings = {
  'all others': () => endOtherSessions(ctx, ada.caller, { currentId: newId() }),
  one: (id: string) => endNamedSession(ctx, ada.caller, { id }),
}

// Rules: security.md 38
test.each(Object.entries(endings))(
  'whoever held a session that a person ends (%s) cannot sign in by a link that it has made',
  async (_name, end) => {
    const sessionId = await signIn()
    const { token } = await createSignInLink(ctx, ada.caller, { email, sessionId })
    await end(sessionId)
    expect(await refusal(useLink(ctx, token))).toMatchObject({ code: 'unauthenticated' })
    expect(await sessionIds()).toEqual([])
    // With a session that has ended since the call began, nobody makes another link.
    const late = createSignInLink(ctx, ada.caller, { email, sessionId })
    expect(await refusal(late)).toMatchObject({ code: 'unauthenticated' })
  },
)

test('a link that a session makes or uses while it is ended leaves no session and no link', async () => {
  const sessionId = await signIn()
  const token = await newLink()
  const held = await holdLock(database.db, sql`lock table sign_in_link in share mode`)
  const making = outcomeOf(createSignInLink(ctx, ada.caller, { email, sessionId }))
  await held.waitedForBy(1)
  const using = outcomeOf(useLink(ctx, token))
  await held.waitedForBy(2)
  const ending = endOtherSessions(ctx, ada.caller, { currentId: newId() })
  await Promise.race([ending, held.waitedForBy(3)])
  await held.release()
  await Promise.all([making, using, ending])
  expect(await sessionIds()).toEqual([])
  const links = await rowsOf(database.db, 'sign_in_link', { person_id: ada.id }, 'used_at')
  expect(links.filter(({ used_at }) => used_at === null)).toEqual([])
})
