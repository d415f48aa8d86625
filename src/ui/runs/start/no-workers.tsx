import { Command } from '../../states/command.tsx'

/** No run can be started here, and what to do about it. */
export function NoWorkers({ anyAtAll }: { anyAtAll: boolean }) {
  return (
    <div className="state">
      {anyAtAll ? (
        <>
          <h2>You may start none of the workers</h2>
          <p className="dim">
            Each names the teams that may start it, under <code>startableBy</code> in its file. Ask
            a member of one of them, or have yourself added to a team in{' '}
            <code>countersign.yaml</code>.
          </p>
        </>
      ) : (
        <>
          <h2>No workers yet</h2>
          <p className="dim">
            A worker is a file <code>workers/NAME.md</code> in the project folder. This writes an
            example of one:
          </p>
          <Command text="bin/countersign init" />
        </>
      )}
    </div>
  )
}
