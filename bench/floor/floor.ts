import { type ChildProcess, fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Client, Connection, type WorkflowHandle } from '@temporalio/client'
import { monotonicMs } from '../figures.ts'
import { decided } from './workflow.ts'

/** A waiting bare workflow. */
export interface FloorRun {
  readonly handle: WorkflowHandle
}

/** The bare workflow (signal, activity) on the same server, in its own worker process. */
export class Floor implements AsyncDisposable {
  readonly #connection: Connection
  readonly #client: Client
  readonly #taskQueue: string
  readonly #worker: ChildProcess

  private constructor(connection: Connection, taskQueue: string, worker: ChildProcess) {
    this.#connection = connection
    this.#client = new Client({ connection })
    this.#taskQueue = taskQueue
    this.#worker = worker
  }

  static async start(address: string): Promise<Floor> {
    const taskQueue = `floor-${randomUUID()}`
    const path = fileURLToPath(new URL('./worker.ts', import.meta.url))
    const worker = fork(path, [address, taskQueue], { silent: true })
    await once(worker, 'message')
    return new Floor(await Connection.connect({ address }), taskQueue, worker)
  }

  get workerPid(): number {
    return this.#worker.pid ?? 0
  }

  async startRun(): Promise<FloorRun> {
    const handle = await this.#client.workflow.start('floorRun', {
      workflowId: randomUUID(),
      taskQueue: this.#taskQueue,
    })
    return { handle }
  }

  /** Milliseconds from the signal to the activity's first line, and the time of that line. */
  async decide(run: FloorRun): Promise<{ ms: number; at: number }> {
    const sent = monotonicMs()
    await run.handle.signal(decided, [randomUUID()])
    const at = (await run.handle.result()) as number
    return { ms: at - sent, at }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#worker.kill('SIGTERM')
    await once(this.#worker, 'exit')
    await this.#connection.close()
  }
}
