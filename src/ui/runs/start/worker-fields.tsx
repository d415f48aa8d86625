import { NativeSelect } from '@mantine/core'
import type { Worker } from '#api/schemas/operation/workers.ts'
import { VisibleText } from '../../text/visible-text.tsx'
import { workspaceOf } from './start-body.ts'
import type { StartDraft } from './start-draft.ts'

/** The worker of the run and, where it has several, its workspace. */
export function WorkerFields(props: {
  workers: readonly Worker[]
  /** the worker that would run; undefined: none is chosen, or there is none of that name */
  selection: Worker | undefined
  draft: StartDraft
  change: (changes: Partial<StartDraft>) => void
  errorOf: (field: 'worker' | 'workspace') => string | null
}) {
  const { workers, selection, draft, change, errorOf } = props
  return (
    <>
      <NativeSelect
        label="Worker"
        required
        withAsterisk={false}
        value={selection?.name ?? ''}
        error={errorOf('worker')}
        onChange={(event) => change({ worker: event.currentTarget.value })}
        data={[
          ...(selection === undefined ? [{ value: '', label: 'Choose a worker' }] : []),
          ...workers.map(({ name, startable }) => ({
            value: name,
            label: startable ? name : `${name} (not yours to start)`,
            disabled: !startable,
          })),
        ]}
      />
      {selection === undefined && draft.worker !== '' && (
        <p role="alert">
          There is no worker <VisibleText text={draft.worker} />.
        </p>
      )}
      {selection !== undefined && selection.description !== '' && (
        <p className="dim small">
          <VisibleText text={selection.description} />
        </p>
      )}
      {selection !== undefined && selection.workspaces.length > 1 && (
        <NativeSelect
          label="Workspace"
          value={workspaceOf(draft, selection)}
          error={errorOf('workspace')}
          onChange={(event) => change({ workspace: event.currentTarget.value })}
          data={selection.workspaces}
        />
      )}
    </>
  )
}
