import { createServer, type ServerResponse } from 'node:http'
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { errorMessage } from '#domain/error-message.ts'
import { listenHere } from './listen.ts'
import { newMemoryFolder } from './memory-folder.ts'

/** The shared servers of one vitest run, loaded and started on first demand. */
export interface ServiceDesk {
  /** `http://127.0.0.1:PORT`, answering `GET` of what `askService` names. */
  url: string
  /** Stops every server that was started and removes its files. */
  close(): Promise<void>
}

/**
 * What the desk answers with; `address` is a Postgres URL, a Temporal `host:port`, the folder of
 * the built dashboard, the one with the tarballs of our packages, or the tarball of the service.
 */
export interface ServiceAnswer {
  address: string
}

/**
 * Test files run in separate processes, so they request servers over loopback HTTP. The first
 * request waits for the start, and the others get the same address. A failed start is answered with
 * `503` and its sentence, and not repeated.
 */
export async function startServiceDesk(): Promise<ServiceDesk> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-test-'))
  const stops: (() => Promise<void>)[] = []
  const started = new Map<string, Promise<string>>()

  const starters: Record<string, () => Promise<string>> = {
    '/postgres': async () => {
      const { startEmbeddedPostgres } = await import('#runtime/embedded/postgres.ts')
      const { migrateTemplate } = await import('./template-database.ts')
      const memory = await newMemoryFolder('countersign-test-postgres-')
      stops.push(() => rm(memory, { recursive: true, force: true }))
      // If root starts Postgres, it runs as another user, who must be able to read this folder.
      await chmod(memory, 0o755)
      const dataDir = join(memory, 'postgres')
      const server = await startEmbeddedPostgres({ dataDir, log: log, durable: false })
      stops.push(() => server.stop())
      await migrateTemplate(server.url)
      return server.url
    },
    '/temporal': async () => {
      const { findTemporalBinary } = await import('#runtime/embedded/temporal-binary.ts')
      const { startTemporalServer } = await import('#runtime/embedded/temporal-server.ts')
      const binary = await findTemporalBinary({ log: log })
      const server = await startTemporalServer({
        binary,
        uiPort: 'off',
        // A test that lets workflow code fail for long waits for no longer pause than others.
        settings: ['history.workflowTaskRetryMaxInterval="1s"'],
        logFile: join(folder, 'temporal.log'),
        log: log,
      })
      stops.push(() => server.stop())
      return server.address
    },
    '/dashboard': async () => {
      const { buildUi, isUiBuilt } = await import('#runtime/supervisor/build-ui.ts')
      if (!(await isUiBuilt())) await buildUi()
      return join(import.meta.dirname, '..', '..', 'dist', 'ui')
    },
    '/packages': async () => {
      const { packPackages } = await import('../../scripts/packages/packages.ts')
      const out = join(folder, 'packages')
      await packPackages(out)
      return out
    },
    '/service': async () => {
      const { packService } = await import('../../scripts/packages/service-package.ts')
      const out = join(folder, 'service')
      await mkdir(out)
      return join(out, (await packService(out)).filename)
    },
  }

  const desk = createServer((request, response) => {
    const path = request.url ?? '/'
    const start = Object.hasOwn(starters, path) ? starters[path] : undefined
    if (!start) return answer(response, 404, `the test service desk has no ${path}`)
    const pending = started.get(path) ?? start()
    started.set(path, pending)
    pending.then(
      (address) => answer(response, 200, JSON.stringify({ address } satisfies ServiceAnswer)),
      (error: unknown) => answer(response, 503, errorMessage(error)),
    )
  })
  desk.requestTimeout = 0
  const port = await listenHere(desk)

  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      desk.closeAllConnections()
      desk.close()
      for (const stop of stops.toReversed()) await stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function answer(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status).end(body)
}

/** Progress of a slow start (building Temporal takes minutes) goes to the terminal. */
function log(line: string): void {
  process.stderr.write(`${line}\n`)
}
