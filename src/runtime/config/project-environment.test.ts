import { execFile } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'
import {
  readProjectEnvironment,
  withoutModelKeys,
  withoutOwnerUrl,
  withoutSigningKey,
} from './project-environment.ts'

const run = promisify(execFile)

test("the project's .env is read, and what is set from outside wins", async () => {
  const projectDir = newFolder('countersign-env-')
  await writeFile(join(projectDir, '.env'), 'PORT=5000\nANTHROPIC_API_KEY="from the file"\n')
  expect(readProjectEnvironment(projectDir, { PORT: '6000' })).toEqual({
    PORT: '6000',
    ANTHROPIC_API_KEY: 'from the file',
  })
})

test('a project without .env has only what is set from outside', () => {
  expect(readProjectEnvironment('/nowhere', { A: '1' })).toEqual({ A: '1' })
})

test.each([
  ['a pipe', (file: string) => run('mkfifo', [file])],
  ['a link to a device without end', (file: string) => symlink('/dev/zero', file)],
  ['a link to a terminal', (file: string) => symlink('/dev/tty', file)],
  ['a folder', (file: string) => mkdir(file)],
])('a .env that is %s is refused with its path and what to do, at once', async (_, make) => {
  const projectDir = newFolder('countersign-env-irregular-')
  const file = join(projectDir, '.env')
  await make(file)
  expect(() => readProjectEnvironment(projectDir, {})).toThrow(
    `${file} cannot be read: it is not a regular file. Set its variables in the environment`,
  )
})

test('a .env that leads to the null device is empty', async () => {
  const projectDir = newFolder('countersign-env-null-')
  await symlink('/dev/null', join(projectDir, '.env'))
  expect(readProjectEnvironment(projectDir, { A: '1' })).toEqual({ A: '1' })
})

test('model keys stay with the Temporal workers', () => {
  const all = {
    ANTHROPIC_API_KEY: 'a',
    OPENAI_API_KEY: 'b',
    OPENAI_BASE_URL: 'c',
    GOOGLE_GENERATIVE_AI_API_KEY: 'd',
    OPENAI_COMPATIBLE_BASE_URL: 'e',
    OPENAI_COMPATIBLE_API_KEY: 'f',
    AZURE_API_KEY: 'g',
    AWS_SECRET_ACCESS_KEY: 'h',
    GOOGLE_VERTEX_API_KEY: 'i',
    GOOGLE_APPLICATION_CREDENTIALS: 'j',
    DATABASE_URL: 'kept',
  }
  expect(withoutModelKeys(all)).toEqual({ DATABASE_URL: 'kept' })
})

test('the private keys stay with the API', () => {
  expect(
    withoutSigningKey({
      COUNTERSIGN_SIGNING_KEY: 'secret',
      COUNTERSIGN_LOG_KEY: 'secret',
      COUNTERSIGN_PUSH_KEY: 'secret',
      COUNTERSIGN_PUBLIC_KEYS: 'kept',
    }),
  ).toEqual({
    COUNTERSIGN_PUBLIC_KEYS: 'kept',
  })
})

test('the address of the database’s owner stays with migrations', () => {
  const both = { DATABASE_URL: 'kept', COUNTERSIGN_MIGRATE_DATABASE_URL: 'secret' }
  expect(withoutOwnerUrl(both)).toEqual({ DATABASE_URL: 'kept' })
})
