import { expect, test } from 'vitest'
import { maxSavedViews } from '#domain/saved-view.ts'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { refusal } from '#test/harness/fixtures/refusal.ts'
import { listSavedViews, removeSavedView, saveView } from './saved-views.ts'

const desk = disposeAfterTests(await openAgentDesk())

const late = { page: 'inbox', name: 'Late', query: 'risk=high&sort=expiresAt' } as const

test('a view is kept under its name, for its owner alone, and the same name replaces it', async () => {
  const { grace, linus } = desk.people
  const first = await saveView(desk.api, grace.caller, late)
  const again = await saveView(desk.api, grace.caller, { ...late, query: 'risk=low' })
  expect(again).toEqual({ ...first, query: 'risk=low' })
  await saveView(desk.api, grace.caller, { page: 'audit', name: 'Late', query: 'q=x' })
  expect((await listSavedViews(desk.api, grace.caller)).map(({ page }) => page)).toEqual([
    'audit',
    'inbox',
  ])
  expect(await listSavedViews(desk.api, linus.caller)).toEqual([])
  const foreign = removeSavedView(desk.api, linus.caller, first.id)
  expect((await refusal(foreign)).code).toBe('not_found')
  await removeSavedView(desk.api, grace.caller, first.id)
  expect(await listSavedViews(desk.api, grace.caller)).toHaveLength(1)
})

test('nobody keeps more views of a page than the limit, also when they are saved at once', async () => {
  const { ada } = desk.people
  const names = Array.from({ length: maxSavedViews + 3 }, (_, index) => `View ${index}`)
  const saved = await Promise.allSettled(
    names.map((name) => saveView(desk.api, ada.caller, { ...late, name })),
  )
  expect(saved.filter(({ status }) => status === 'fulfilled')).toHaveLength(maxSavedViews)
  const beyond = saveView(desk.api, ada.caller, { ...late, name: 'One more' })
  expect((await refusal(beyond)).code).toBe('conflict')
})
