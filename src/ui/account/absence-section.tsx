import { Button, TextInput } from '@mantine/core'
import { useState } from 'react'
import { callApi } from '../api/call-api.ts'
import { useMe } from '../api/queries.ts'
import { useAct } from '../states/use-act.ts'
import { Moment } from '../text/time.tsx'
import { VisibleText } from '../text/visible-text.tsx'

/** Sets an absence, in which the person gets no notifications and is not reachable. */
export function AbsenceSection() {
  const { absence } = useMe()
  const act = useAct(['me'])
  const [until, setUntil] = useState('')
  const [note, setNote] = useState('')
  const save = (): void => {
    const words = note.trim() === '' ? {} : { note: note.trim() }
    const body = { until: new Date(until).toISOString(), ...words }
    void act(() => callApi('setAbsence', { body }), 'Saved')
  }
  return (
    <section className="card column" aria-labelledby="absence-title">
      <h2 id="absence-title">Away</h2>
      {absence === null ? (
        <>
          <p className="dim small">
            While you are away, you get no notifications, and colleagues see that you are away. You
            keep all your rights.
          </p>
          <div className="row">
            <TextInput
              type="datetime-local"
              label="Away until"
              value={until}
              onChange={(event) => setUntil(event.currentTarget.value)}
            />
            <TextInput
              label="Note"
              maxLength={200}
              value={note}
              onChange={(event) => setNote(event.currentTarget.value)}
            />
          </div>
          <div>
            <Button variant="default" disabled={until === ''} onClick={save}>
              I am away
            </Button>
          </div>
        </>
      ) : (
        <>
          <p>
            You are away until <Moment at={absence.until} />
            {absence.note !== null && (
              <>
                : <VisibleText text={absence.note} />
              </>
            )}
          </p>
          <div>
            <Button
              variant="default"
              onClick={() => void act(() => callApi('endAbsence'), 'You are no longer away')}
            >
              I am back
            </Button>
          </div>
        </>
      )}
    </section>
  )
}
