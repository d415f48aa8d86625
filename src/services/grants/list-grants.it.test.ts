import { beforeEach, describe, expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { addPerson, joinTeam } from '#test/harness/fixtures/people.ts'
import { refusal } from '#test/harness/fixtures/refusal.ts'
import { callOf, openGrants } from './grants.fixture.ts'
import { listGrants } from './list-grants.ts'
import { revokeGrant } from './revoke-grant.ts'

const desk = disposeAfterTests(await openGrants())

beforeEach(() => desk.renew())

// Rules: product.md 10
describe('a list of grants', () => {
  test('shows who gave each one, when, how often it was used, and who may revoke it', async () => {
    const request = await desk.grant()
    const [mine] = await listGrants(desk.service.ctx, desk.grace.caller, { runId: desk.run.id })
    expect(mine).toMatchObject({
      scope: 'run',
      digest: request.digest,
      grantedBy: { name: 'Grace' },
      requestId: request.id,
      uses: 0,
      canRevoke: true,
    })
    const colleague = await addPerson(
      desk.database.db,
      'Colleague',
      ['platform'],
      'col@example.com',
    )
    const [theirs] = await listGrants(desk.service.ctx, colleague.caller, { runId: desk.run.id })
    expect(theirs?.canRevoke).toBe(false)
    await desk.database.db.deleteFrom('team_member').where('person_id', '=', colleague.id).execute()
  })

  test('says why a grant that is still valid covers no call now', async () => {
    const dormantReasons = async () =>
      (await listGrants(desk.service.ctx, desk.ada.caller, { runId: desk.run.id })).map(
        ({ dormant }) => dormant,
      )
    // The calls of these tests are of a definition that no tool has.
    const otherwise = 'the definition of write_file has changed since'
    await desk.grant()
    expect((await dormantReasons())[0]).toBe(otherwise)
    const giver = desk.database.db.updateTable('person').where('id', '=', desk.grace.id)
    await giver.set({ disabled_at: new Date() }).execute()
    expect((await dormantReasons())[0]).toBe(`${desk.grace.name} has been disabled`)
    await giver.set({ disabled_at: null }).execute()
    const team = { person_id: desk.grace.id, team: 'platform' }
    await desk.database.db
      .deleteFrom('team_member')
      .where('person_id', '=', team.person_id)
      .where('team', '=', team.team)
      .execute()
    expect((await dormantReasons())[0]).toContain('is no longer in a team that could decide')
    await joinTeam(desk.database.db, team.person_id, team.team)
    expect((await dormantReasons())[0]).toBe(otherwise)
  })

  test('of a run that the caller may not see is not found', async () => {
    await desk.grant()
    const stranger = await addPerson(desk.database.db, 'Stranger', [], 'str@example.com')
    const attempt = listGrants(desk.service.ctx, stranger.caller, { runId: desk.run.id })
    expect((await refusal(attempt)).code).toBe('not_found')
  })
})

// Rules: product.md 10
describe('revoking a grant', () => {
  test.each(['giver', 'starter', 'who manages runs'])(
    'by its %s takes effect at once',
    async (who) => {
      const request = await desk.grant()
      const found = await desk.find(callOf(request))
      const person = who === 'giver' ? desk.grace : who === 'starter' ? desk.ada : desk.olga
      await revokeGrant(desk.service.ctx, person.caller, { grantId: found?.id ?? '' })
      expect(await desk.find(callOf(request))).toBeNull()
      const [listed] = await listGrants(desk.service.ctx, desk.ada.caller, { runId: desk.run.id })
      expect(listed).toMatchObject({ revokedBy: { id: person.id }, canRevoke: false })
    },
  )

  test('is refused to other people than its giver', async () => {
    const request = await desk.grant()
    const found = await desk.find(callOf(request))
    const other = await addPerson(desk.database.db, 'Other', ['platform'], 'other@example.com')
    const attempt = revokeGrant(desk.service.ctx, other.caller, { grantId: found?.id ?? '' })
    expect((await refusal(attempt)).code).toBe('forbidden')
    expect(await desk.find(callOf(request))).not.toBeNull()
  })
})
