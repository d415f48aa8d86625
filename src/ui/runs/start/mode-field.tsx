import type { RunMode } from '#domain/policy/verdict.ts'
import { useMe } from '../../api/queries.ts'
import { RadioField, type RadioOption } from '../../states/radio-field.tsx'

const ask: RadioOption<RunMode> = {
  value: 'prompt',
  label: 'Ask',
  description: 'What policy asks for waits for a person.',
}
const strict: RadioOption<RunMode> = {
  value: 'strict',
  label: 'Deny what asks',
  description: 'Only what is pre-approved runs. Everything that would ask is denied at once.',
}
const approveAll: RadioOption<RunMode> = {
  value: 'approve_all',
  label: 'Approve all',
  description:
    'Nobody is asked. Everything that would ask runs, in your name. What policy blocks stays blocked.',
}

/** How the run treats what asks, in its consequences; `approve_all` for who has the right. */
export function ModeField(props: { mode: RunMode; onChoose: (mode: RunMode) => void }) {
  const { person } = useMe()
  const mayApproveAll = person.rights.includes('startApproveAll')
  return (
    <RadioField
      legend="Mode"
      name="mode"
      options={mayApproveAll ? [ask, strict, approveAll] : [ask, strict]}
      value={props.mode}
      onChoose={props.onChoose}
      disabled={false}
    />
  )
}
