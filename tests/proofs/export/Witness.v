(* Premises of exported theorems that hold: two of any number, the others where there is one outcome. *)
Require Import Laws FunctionalExtensionality.
Open Scope R_scope.
Lemma tanh_sign x : 0 <= x -> 0 <= tanh x.
Proof.
  intros h. rewrite tanh_exp. apply Rle_mult_inv_pos; [|pose proof (exp_pos (2 * x)); lra].
  pose proof (exp_ge 0 (2 * x) ltac:(lra)) as k. rewrite exp_0 in k. lra.
Qed.
Lemma tanh_odd x : tanh (- x) = - tanh x.
Proof.
  rewrite !tanh_exp. replace (2 * - x) with (- (2 * x)) by ring. rewrite exp_Ropp. pose proof (exp_pos (2 * x)). field. lra.
Qed.
Lemma tanh_grows : increasing (fun x => x - tanh x).
Proof.
  assert (D : forall c, derivable_pt_lim (fun x => x - tanh x) c (tanh c ^ 2)).
  { intros c. replace (tanh c ^ 2) with (1 - (1 - tanh c ^ 2) * 1) by ring.
    apply (slope_sub (fun x => x) (fun x => tanh x) c c (tanh c)); [apply slope_id|].
    apply (slope_tanh (fun x => x) c c 1). apply slope_id. }
  apply (nonneg_derivative_1 _ (fun c => exist _ _ (D c))). intros c. apply pow2_ge_0.
Qed.
Lemma tanh_zero : tanh 0 = 0. Proof. rewrite tanh_exp. rewrite Rmult_0_r, exp_0. field. Qed.
Lemma L_tanh_at_most : @tanh-at-most@.
Proof.
  assert (P : forall x, 0 <= x -> tanh x ^ 2 <= x ^ 2).
  { intros x h. pose proof (tanh_sign x h). pose proof (tanh_grows 0 x h) as k. cbv beta in k. rewrite tanh_zero in k. nra. }
  intros x. destruct (Rle_or_lt 0 x) as [h|h]; [apply P; exact h|].
  pose proof (P (- x) ltac:(lra)) as k. rewrite tanh_odd in k. nra.
Qed.
Lemma L_tanh_of_size : @tanh-of-size@.
Proof.
  intros x. destruct (Rle_or_lt 0 x) as [h|h].
  - rewrite (Rabs_right x), Rabs_right by (apply Rle_ge; try apply tanh_sign; exact h). reflexivity.
  - rewrite (Rabs_left x) by exact h. rewrite tanh_odd. apply Rabs_left1. pose proof (tanh_sign (- x) ltac:(lra)) as k. rewrite tanh_odd in k. lra.
Qed.
(* a point: what is normal there has variance 0 *)
Definition W_ := unit.
Definition P_ : space W_.
Proof.
  refine (Space W_ (fun _ => True) (fun _ => True) (fun f => f tt) _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _); intros; auto.
Defined.
Lemma Phi_continuous y : continuity_pt Phi y.
Proof. apply derivable_continuous_pt. eexists. apply Phi_slope. Qed.
Lemma point_normal X m v : normal P_ X m v -> v = 0 /\ X tt = m.
Proof.
  intros [_ [p h]]. unfold cdf, normal_cdf in h. simpl in h. destruct (Rlt_dec 0 v) as [q|q].
  - exfalso. pose proof (sqrt_lt_R0 v q) as r. destruct (Phi_continuous ((X tt - m) / sqrt v) (1 / 2) ltac:(lra)) as [d [e k]].
    pose proof (h (X tt)) as one. pose proof (h (X tt - d / 2 * sqrt v)) as other. unfold at_most in one, other.
    destruct (Rle_dec (X tt) (X tt)) as [_|n] in one; [|apply n; lra].
    destruct (Rle_dec (X tt) (X tt - d / 2 * sqrt v)) as [n|_] in other; [nra|].
    specialize (k ((X tt - d / 2 * sqrt v - m) / sqrt v)). simpl in k. unfold R_dist in k. rewrite <- one, <- other in k.
    assert (Rabs (0 - 1) < 1 / 2) as a.
    { apply k. replace ((X tt - d / 2 * sqrt v - m) / sqrt v) with ((X tt - m) / sqrt v - d / 2) by (field; lra).
      split; [split; [exact I|lra]|]. replace ((X tt - m) / sqrt v - d / 2 - (X tt - m) / sqrt v) with (- (d / 2)) by ring.
      rewrite Rabs_Ropp, Rabs_right; lra. }
    rewrite Rabs_left in a; lra.
  - split; [lra|]. pose proof (h (X tt)) as one. pose proof (h m) as other. unfold at_most in one, other.
    destruct (Rle_dec (X tt) (X tt)), (Rle_dec m (X tt)), (Rle_dec (X tt) m), (Rle_dec m m); lra.
Qed.
Lemma total_is s (f g : at_ s -> R) : (forall t, f t = g t) -> total s f = total s g.
Proof.
  induction s as [|n|n k|a IHa b IHb]; intros h; simpl.
  - apply h.
  - apply sum_eq; intros; apply h.
  - apply sum_eq; intros; apply sum_eq; intros; apply h.
  - rewrite (IHa _ (fun t => g (inl t))), (IHb _ (fun t => g (inr t))) by (intros; apply h). reflexivity.
Qed.
Lemma total_zero s : total s (fun _ => 0) = 0.
Proof.
  induction s as [|n|n k|a IHa b IHb]; simpl; [reflexivity| | |rewrite IHa, IHb; ring].
  - apply sum_zero. reflexivity.
  - apply sum_zero. intros. apply sum_zero. reflexivity.
Qed.
Lemma L_normal_linear_image : @normal-linear-image@.
Proof.
  intros s X m v c b _ h. assert (V : total s (fun t => c t ^ 2 * v t) = 0).
  { rewrite (total_is s _ (fun _ => 0)); [apply total_zero|]. intros t. destruct (point_normal _ _ _ (h t)) as [-> _]. ring. }
  rewrite V. split; [exact I|split; [lra|]]. intros x. unfold cdf, normal_cdf. simpl. destruct (Rlt_dec 0 0) as [l|_]; [lra|].
  f_equal. f_equal. apply total_is. intros t. destruct (point_normal _ _ _ (h t)) as [_ ->]. reflexivity.
Qed.
Lemma L_normal_exponential : @normal-exponential@.
Proof.
  intros s X m v c b _ h. split; [exact I|]. cbv beta iota delta [mean P_]. f_equal. assert (V : total s (fun t => c t ^ 2 * v t) = 0).
  { rewrite (total_is s _ (fun _ => 0)); [apply total_zero|]. intros t. destruct (point_normal _ _ _ (h t)) as [-> _]. ring. }
  rewrite V. replace (total s (fun t => c t * X t tt)) with (total s (fun t => c t * m t)); [lra|].
  apply total_is. intros t. destruct (point_normal _ _ _ (h t)) as [_ ->]. reflexivity.
Qed.
Lemma L_reflection : @reflection@.
Proof.
  intros s X m v f _ h z _ _. simpl. f_equal. apply functional_extensionality. intros t.
  destruct (point_normal _ _ _ (h t)) as [_ ->]. rewrite z. ring.
Qed.
