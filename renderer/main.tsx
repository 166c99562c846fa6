import './locale';
import { t } from '../shared/messages';
import { mount } from './frame';
import { RecoveryWindow } from './recovery-window';

mount(t('app.name'), <RecoveryWindow />);
