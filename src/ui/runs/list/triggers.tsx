import type { Trigger } from '#api/schemas/runs/triggers.ts'
import { callApi } from '../../api/call-api.ts'
import { useTriggers } from '../../api/queries.ts'
import { LastRun, StartRow, StartSection } from './start-row.tsx'

/** The triggers. Hidden if there are none. */
export function Triggers() {
  const triggers = useTriggers()
  return <StartSection id="triggers" title="Triggers" list={triggers} row={TriggerRow} />
}

function TriggerRow({ start }: { start: Trigger }) {
  const { name, url, paused, hasSecret, lastRun } = start
  const nameAt = url.lastIndexOf('/') + 1
  return (
    <StartRow
      start={start}
      list="triggers"
      change={(isResumed) =>
        callApi(isResumed ? 'resumeTrigger' : 'pauseTrigger', { params: { name } })
      }
    >
      <div className="start-means">
        <code className="dim start-address">
          {url.slice(0, nameAt)}
          <wbr />
          {url.slice(nameAt)}
        </code>
      </div>
      <div className="dim small">
        {paused ? 'Refuses messages: it is paused' : takes(hasSecret)}
        {lastRun !== undefined && (
          <>
            {' · '}last <LastRun run={lastRun} />
          </>
        )}
      </div>
    </StartRow>
  )
}

function takes(hasSecret: boolean): string {
  return hasSecret
    ? 'Takes signed messages and calls with an API key'
    : 'Takes calls with an API key only: it has no secret'
}
