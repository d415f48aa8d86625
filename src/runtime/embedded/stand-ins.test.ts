import { mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'
import { markStandIn, removeUnusedStandIns } from './stand-ins.ts'

let root: string
let data: string

beforeEach(async () => {
  root = newFolder('countersign stand-ins ')
  data = newFolder('countersign data ')
  await mkdir(join(root, 'postgres-1'))
})

describe('removeUnusedStandIns', () => {
  it('removes the database of a temporary folder that was deleted', async () => {
    await markStandIn(join(root, 'postgres-1'), join(data, 'postgres'))
    await rm(data, { recursive: true })
    expect(await removeUnusedStandIns(root)).toEqual([join(data, 'postgres')])
    expect(await readdir(root)).toEqual([])
  })

  it('keeps the database of a folder that is there', async () => {
    await markStandIn(join(root, 'postgres-1'), join(data, 'postgres'))
    expect(await removeUnusedStandIns(root)).toEqual([])
    expect(await readdir(root)).toContain('postgres-1')
  })

  it('keeps a database that a process works on', async () => {
    await markStandIn(join(root, 'postgres-1'), join(data, 'postgres'))
    await writeFile(join(root, 'postgres-1', 'postmaster.pid'), `${process.pid}\n`)
    await rm(data, { recursive: true })
    expect(await removeUnusedStandIns(root)).toEqual([])
  })

  it('keeps a database without a mark, and one with an unreadable mark', async () => {
    await mkdir(join(root, 'postgres-2'))
    await writeFile(join(root, 'postgres-2.stands-for'), 'nonsense')
    expect(await removeUnusedStandIns(root)).toEqual([])
    expect(await readdir(root)).toHaveLength(3)
  })

  it('keeps the database of a folder whose disk is not the one that is there now', async () => {
    await writeMark({ folder: join(data, 'gone', 'postgres'), device: -1 }, 365)
    expect(await removeUnusedStandIns(root)).toEqual([])
  })

  it('keeps a lasting folder that is gone for thirty days, since it may have been moved', async () => {
    const { dev: device } = await stat('/')
    const folder = '/a folder that nobody has/.countersign/postgres'
    await writeMark({ folder, device }, 29)
    expect(await removeUnusedStandIns(root)).toEqual([])
    await writeMark({ folder, device }, 31)
    expect(await removeUnusedStandIns(root)).toEqual([folder])
  })
})

async function writeMark(mark: { folder: string; device: number }, days: number): Promise<void> {
  const file = join(root, 'postgres-1.stands-for')
  await writeFile(file, JSON.stringify(mark))
  const at = new Date(Date.now() - days * 24 * 60 * 60 * 1_000)
  await utimes(file, at, at)
}
