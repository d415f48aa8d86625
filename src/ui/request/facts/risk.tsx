import { IconAlertTriangle, IconCircle, IconCircleFilled } from '@tabler/icons-react'
import type { RiskName } from '../../../api/schemas/requests/requests.ts'
import './risk.css'

const faces = {
  high: { Icon: IconAlertTriangle, word: 'High' },
  medium: { Icon: IconCircleFilled, word: 'Medium' },
  low: { Icon: IconCircle, word: 'Low' },
} as const

/** A risk as icon, word and colour, so that none of the three is needed. */
export function Risk({ risk }: { risk: RiskName }) {
  const { Icon, word } = faces[risk]
  return (
    <span className={`risk risk-${risk}`}>
      <Icon size={risk === 'high' ? 15 : 11} stroke={2.2} aria-hidden />
      {word}
      <span className="visually-hidden"> risk</span>
    </span>
  )
}
