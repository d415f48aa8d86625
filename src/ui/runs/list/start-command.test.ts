import { expect, test } from 'vitest'
import type { Me } from '#api/schemas/access/auth.ts'
import { startCommand } from './start-command.ts'

const person = { id: '1', email: 'grace@example.com', name: 'Grace', teams: [], rights: [] }
const installation: Me['installation'] = {
  profile: 'development',
  singlePerson: false,
  sample: false,
  projectDir: "/home/grace/it's a project",
  dataDir: null,
  temporalUiUrl: null,
  version: '0.1.0',
  command: 'npx countersign',
}

test('the command can be pasted into a shell whatever the folder is called', () => {
  const command = startCommand('scribe', { person, installation })
  expect(command).toBe(
    `npx countersign run scribe 'Say what you can do here' --as grace@example.com --project '/home/grace/it'\\''s a project'`,
  )
})

test('in the example, Ada starts a run whose requests Grace can approve', () => {
  const sample = { ...installation, sample: true }
  expect(startCommand('release-notes', { person, installation: sample })).toContain(
    '--as ada@example.com',
  )
})

test('a data folder that a command would not find is named, in the example too', () => {
  for (const sample of [false, true]) {
    const elsewhere = { ...installation, sample, dataDir: '/srv/my data' }
    expect(startCommand('scribe', { person, installation: elsewhere })).toMatch(
      / --data '\/srv\/my data'$/,
    )
  }
})

test('outside the development profile the command names no person to act as', () => {
  const production = { ...installation, profile: 'production', projectDir: null } as const
  expect(startCommand('scribe', { person, installation: production })).not.toContain('--as')
})
