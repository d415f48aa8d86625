import { workerShapeOf } from './worker-shape-of.ts'

/** The shape of a worker. Screen readers ignore it, because the name is beside it. */
export function WorkerShape({ name }: { name: string }) {
  return (
    <svg className="worker-shape" viewBox="0 0 16 16" width="13" height="13" aria-hidden>
      <path d={workerShapeOf(name)} />
    </svg>
  )
}
