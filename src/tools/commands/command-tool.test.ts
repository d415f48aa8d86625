import { expect, test } from 'vitest'
import { commandDesk } from './commands.fixture.ts'

const without = 'in a sandbox without a network'

test('the model is told that its commands have no network, unless this worker’s have one', async () => {
  using usual = await commandDesk()
  using allowed = await commandDesk({}, { sandbox: '{ network: allow }' })
  for (const name of ['exec', 'shell'] as const) {
    expect(usual.tools[name].description).toContain(without)
    expect(allowed.tools[name].description).toContain('in a sandbox with a network')
    expect(allowed.tools[name].description).not.toContain(without)
  }
})

test('a command with a network is another tool than one without: no approval of the one is for the other', async () => {
  using usual = await commandDesk()
  using allowed = await commandDesk({}, { sandbox: '{ network: allow }' })
  for (const name of ['exec', 'shell'] as const) {
    expect(allowed.tools[name].definitionHash).not.toBe(usual.tools[name].definitionHash)
  }
})
