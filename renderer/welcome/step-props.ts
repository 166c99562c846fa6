export interface StepProps {
  readonly onNext: () => void;
  readonly onBack?: () => void;
}
