import { workerShapeOf } from './worker-shape-of.ts'

/** A worker as a shape, beside its name, which says it all; people have initials instead. */
export function WorkerShape({ name }: { name: string }) {
  return (
    <svg className="worker-shape" viewBox="0 0 16 16" width="13" height="13" aria-hidden>
      <path d={workerShapeOf(name)} />
    </svg>
  )
}
