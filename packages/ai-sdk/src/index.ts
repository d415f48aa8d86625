export {
  countersignApproval,
  type ApprovalOptions,
  type CountersignApproval,
} from './countersign-approval.ts'
export { resumeApprovals } from './resume-approvals.ts'
