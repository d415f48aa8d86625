import { execFileSync } from 'node:child_process'
import { mkdir, open, rename, symlink, writeFile } from 'node:fs/promises'
import { constants } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'
import { filesToSend } from './files-to-send.ts'

const folder = newFolder('files to send ')
const secret = join(folder, 'id_ed25519')
await writeFile(secret, 'a private key')

// Rules: security.md 10
test('a file is sent as it is, and a link to another file is refused with the name of that file', async () => {
  const note = join(folder, 'note.txt')
  await writeFile(note, 'hello')
  expect(await filesToSend([note])).toEqual({
    files: [{ name: 'note.txt', mediaType: 'text/plain', data: 'aGVsbG8=' }],
  })
  const link = join(folder, 'build.log')
  await symlink(secret, link)
  await expect(filesToSend([link])).rejects.toThrow(`${link}: it is a link to ${secret}`)
})

test('a file that an agent exchanges for a link all the time is sent as it was, or not at all', async () => {
  const target = join(folder, 'raced.log')
  const [plain, link] = [join(folder, 'plain'), join(folder, 'link')]
  const wrong: string[] = []
  const before = process.cwd()
  process.chdir(folder)
  try {
    for (let round = 0; round < 300; round += 1) {
      await writeFile(plain, 'of the build')
      await rename(plain, target)
      await symlink(secret, link)
      const [sent] = await Promise.all([
        filesToSend([target]).catch((error: Error) => {
          if (error.message.includes('(deleted)')) wrong.push(error.message)
          return null
        }),
        rename(link, target),
      ])
      for (const { data } of sent?.files ?? []) {
        if (data !== Buffer.from('of the build').toString('base64')) wrong.push(data)
      }
    }
  } finally {
    process.chdir(before)
  }
  expect(wrong).toEqual([])
})

// Rules: security.md 10
test('a file behind a folder that was exchanged for a link is refused with its own path', async () => {
  const [work, keys] = [join(folder, 'work'), join(folder, 'keys')]
  for (const each of [work, join(work, 'logs'), keys]) await mkdir(each)
  await writeFile(join(work, 'logs', 'config'), 'of the build')
  await writeFile(join(keys, 'config'), 'a private key')
  const before = process.cwd()
  process.chdir(work)
  try {
    for (const path of ['logs/config', './logs/../logs/config', join(work, 'logs/config')]) {
      expect((await filesToSend([path])).files).toHaveLength(1)
    }
    const entered = join(folder, 'entered')
    await symlink(work, entered)
    expect((await filesToSend([join(entered, 'logs/config')])).files).toHaveLength(1)
    await rename('logs', 'earlier')
    await symlink(keys, 'logs')
    for (const path of ['logs/config', join(work, 'logs/config'), join(entered, 'logs/config')]) {
      await expect(filesToSend([path])).rejects.toThrow(
        `${path}: it is ${join(keys, 'config')}, behind a link: name that file`,
      )
    }
    expect((await filesToSend([join(keys, 'config')])).files).toHaveLength(1)
    await symlink('.', 'back')
    await expect(filesToSend(['back/earlier/config'])).rejects.toThrow(
      `it is ${join(work, 'earlier/config')}, behind a link`,
    )
    // The name alone does not say that the file was replaced, and trying again would not help.
    await writeFile(join(keys, 'config (deleted)'), 'a private key')
    await expect(filesToSend(['logs/config (deleted)'])).rejects.toThrow('behind a link')
  } finally {
    process.chdir(before)
  }
})

test('what is no regular file is refused at once: a pipe without a writer, a device, a folder', async () => {
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  // As a shell passes `<(…)`, and `/dev/stdin` behind a pipe: the link leads to no file.
  await using piped = await open(pipe, constants.O_RDWR)
  for (const path of [pipe, '/dev/zero', folder, `/dev/fd/${piped.fd}`]) {
    await expect(filesToSend([path])).rejects.toThrow(
      `${path}: it is no regular file: write what you mean to send into a file, and name that file`,
    )
  }
})

test('a file over the limit is refused with the limit', async () => {
  const large = join(folder, 'large')
  await writeFile(large, Buffer.alloc(16 * 1024 * 1024))
  await expect(filesToSend([large])).rejects.toThrow('a file has at most')
})
