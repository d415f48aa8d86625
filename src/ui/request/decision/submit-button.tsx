import { Button } from '@mantine/core'

/** Submits a form about a request, and says so when the service cannot be reached. */
export function SubmitButton(props: { ready: boolean; busy: boolean; offline: boolean }) {
  return (
    <>
      {props.offline && (
        <p className="obstacle">Offline: nothing can be submitted until the service is back.</p>
      )}
      <Button type="submit" disabled={!props.ready}>
        {props.busy ? 'Submitting…' : 'Submit'}
      </Button>
    </>
  )
}
