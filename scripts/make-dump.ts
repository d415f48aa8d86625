import { execFile, spawn } from 'node:child_process'
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { dirname, join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { embeddedUrl } from '#runtime/embedded/postgres-address.ts'
import { readKeyFiles } from '#runtime/backup/key-files.ts'
import { writeBackup } from '#runtime/backup/write-backup.ts'
import { checkoutFolder } from '#runtime/folders.ts'
import { connectDatabase } from '#store/database.ts'
import { TestSession } from '#test/harness/installation/test-session.ts'
import { dumpProject } from '#test/previous/dump-project.ts'
import { endScenes, playScenes } from '#test/previous/play-scenes.ts'

/**
 * `node scripts/run.mjs scripts/make-dump.ts --commit COMMIT --name NAME`: runs an earlier version
 * of this repository, plays the scenes of `test/previous`, and keeps its database, its keys and its
 * answers in `test/previous/dumps` (docs/decisions/0007-dumps-of-earlier-versions.md). It uses the
 * dependencies that are installed now.
 */
const run = promisify(execFile)
/**
 * The folder in which the dump is made. Its database has absolute paths, which therefore name this
 * folder only.
 */
const folder = '/tmp/countersign-previous'

const { values } = parseArgs({
  options: { commit: { type: 'string' }, name: { type: 'string' } },
})
const { commit, name } = values
if (commit === undefined || name === undefined) throw new Error('--commit COMMIT --name NAME')

const checkout = join(folder, 'checkout')
const projectDir = join(folder, 'project')
const dataDir = join(folder, 'data')
await rm(folder, { recursive: true, force: true })
await mkdir(folder, { recursive: true })
await run('git', ['worktree', 'prune'], { cwd: checkoutFolder })
await run('git', ['worktree', 'add', '--detach', checkout, commit], { cwd: checkoutFolder })
try {
  for (const shared of ['node_modules', 'dist'])
    await symlink(join(checkoutFolder, shared), join(checkout, shared))
  for (const [path, text] of Object.entries(dumpProject())) {
    await mkdir(dirname(join(projectDir, path)), { recursive: true })
    await writeFile(join(projectDir, path), text)
  }
  await mkdir(join(projectDir, 'notes'), { recursive: true })
  await makeDump(name)
} finally {
  await run('git', ['worktree', 'remove', '--force', checkout], { cwd: checkoutFolder })
  await rm(folder, { recursive: true, force: true })
}

async function makeDump(dump: string): Promise<void> {
  const args = [join(checkout, 'bin', 'countersign'), 'start', '--no-open', '--port', '0']
  const child = spawn(process.execPath, [...args, '--project', projectDir, '--data', dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  try {
    const url = await new Promise<string>((resolve, reject) => {
      createInterface({ input: child.stdout }).on('line', (line) => {
        console.log(line)
        const [, ready] = /^ready (http:\/\/127\.0\.0\.1:\d+)$/.exec(line) ?? []
        if (ready !== undefined) resolve(ready)
      })
      void exited.then(() => reject(new Error('it ended')))
    })
    const token = (await readFile(join(dataDir, 'run', 'dev-token'), 'utf8')).trim()
    const facts = await playScenes({
      projectDir,
      signIn: (email) => TestSession.start(url, email, token),
      killTemporalWorker: async () => {
        const file = join(dataDir, 'run', 'temporal-worker.pid')
        process.kill(Number(await readFile(file, 'utf8')), 'SIGKILL')
      },
    })
    await keep(dump, facts)
  } finally {
    await endScenes(projectDir)
    child.kill('SIGINT')
    await exited
  }
}

async function keep(dump: string, facts: unknown): Promise<void> {
  const ports = JSON.parse(await readFile(join(dataDir, 'ports.json'), 'utf8')) as {
    postgres: number
  }
  const url = await embeddedUrl(join(dataDir, 'postgres'), ports.postgres)
  await using db = connectDatabase({ url: url ?? '', poolSize: 1, applicationName: 'make-dump' })
  const into = join(checkoutFolder, 'test', 'previous', 'dumps')
  const file = join(into, `${dump}.backup`)
  await rm(file, { force: true })
  await writeBackup(db, { file, readKeys: () => readKeyFiles(dataDir, { privateToo: true }) })
  await writeFile(join(into, `${dump}.json`), `${JSON.stringify(facts, null, 2)}\n`)
}
