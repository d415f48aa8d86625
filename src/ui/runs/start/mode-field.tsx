import type { RunMode } from '#domain/policy/verdict.ts'
import { useMe } from '../../api/queries.ts'
import { RadioField, type RadioOption } from '../../states/radio-field.tsx'
import { modeWords } from '../../words/mode-words.ts'

const ask: RadioOption<RunMode> = {
  value: 'prompt',
  label: modeWords.prompt,
  description: 'Calls that ask wait for a person.',
}
const strict: RadioOption<RunMode> = {
  value: 'strict',
  label: modeWords.strict,
  description: 'Only pre-approved calls run. Calls that would ask are denied at once.',
}
const approveAll: RadioOption<RunMode> = {
  value: 'approve_all',
  label: modeWords.approve_all,
  description:
    'Nobody is asked. Calls that would ask run in your name. Calls that policy blocks stay blocked.',
}

/** The mode of the run and its consequences; `approve_all` only for people with the right. */
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
