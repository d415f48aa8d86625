import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { Client } from 'pg'
import { expect, test } from 'vitest'
import { Connection } from '@temporalio/client'
import { createTestDatabase } from './postgres.ts'
import { gitAsAda } from './programs/git-as-ada.ts'
import { useOwnNamespace, useTemporal } from './temporal.ts'

test('two databases of one run are both migrated and share nothing', async () => {
  await using first = await createTestDatabase()
  await using second = await createTestDatabase()
  const before = await first.db.introspection.getTables()
  await first.db.schema.createTable('only_here').addColumn('id', 'integer').execute()
  const after = await second.db.introspection.getTables()
  expect(before.length).toBeGreaterThan(5)
  expect(after.map((table) => table.name)).toEqual(before.map((table) => table.name))
})

test('a connection that outlives the test is reported, with what it last asked', async () => {
  const database = await createTestDatabase({ othersLeaveWithinMs: 1_000 })
  const leaked = new Client({ connectionString: database.url, application_name: 'left-open' })
  // The database is dropped under this connection in the end.
  leaked.on('error', () => undefined)
  await leaked.connect()
  await leaked.query('select 42 as the_answer')
  await expect(database[Symbol.asyncDispose]()).rejects.toThrow(/left-open.*the_answer/)
})

test('files get the same Temporal server but task queues of their own', async () => {
  const [first, second] = [await useTemporal(), await useTemporal()]
  expect(first.address).toBe(second.address)
  expect(first.taskQueue).not.toBe(second.taskQueue)
})

test('a namespace of its own serves requests when it is handed out', async () => {
  const temporal = await useOwnNamespace()
  const connection = await Connection.connect({ address: temporal.address })
  const { namespace } = temporal
  const { executions } = await connection.workflowService.listWorkflowExecutions({ namespace })
  expect(executions).toEqual([])
  await connection.close()
})

test('the folder of a run for temporary files holds programs, and goes with its process', () => {
  const program = `
    const { makeRunFolder } = await import(${JSON.stringify(import.meta.resolve('./run-folder.ts'))})
    const { statSync, writeFileSync } = await import('node:fs')
    const { execFileSync } = await import('node:child_process')
    const folder = makeRunFolder()
    if (folder !== null) {
      writeFileSync(folder + '/run', '#!/bin/sh\\necho ran', { mode: 0o700 })
      console.log(folder, statSync(folder).isDirectory(), String(execFileSync(folder + '/run')))
    }`
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', program]).toString()
  // Nothing: this machine has no room for it.
  if (output === '') return
  const [, folder = ''] = /^(\S+) true ran$/m.exec(output) ?? []
  expect(folder).toMatch(/^\/dev\/shm\//)
  expect(existsSync(folder)).toBe(false)
})

test('a program that Git starts for Ada reads an input that ends', async () => {
  expect(await gitAsAda(tmpdir(), '-c', 'alias.listen=!cat', 'listen')).toBe('')
})
